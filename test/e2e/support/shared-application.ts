import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import type { Dialog, Shell } from 'electron'
import { builtInEnvironments, type CallInput, type CallName, type CallOutput, type Outcome } from '@contract'
import { noLastFilters } from '@contract/app/personal-values'
import { noFilters, publicFilters } from '@contract/cache/filters'
import type { Bridge } from '@contract/ipc/names'
import { call } from './bridge'
import { Slipway } from './slipway'

/** What tests replace in the main process, by module. */
interface Replaced {
  dialog: Partial<Dialog>
  shell: Partial<Shell>
}

/** The lists of the sandboxes. With the 50 rows of a first start, a test takes a sixth longer. */
const shortList = {
  filters: publicFilters(noFilters()),
  source: 'live' as const,
  sort: null,
  size: 10,
  hasPrivateFilters: false,
}
const shortLists = Object.fromEntries(Object.values(builtInEnvironments).map(({ id }) => [id, shortList]))

/**
 * One application for the tests of a worker. `reset` brings it back to where a first start leaves it, except for the
 * journal, what the caches of the sandboxes have, and their page size of 10. It works by the calls that the page itself
 * makes.
 */
export class SharedApplication {
  /** The runs of the application that the current test has seen, the latest last. */
  runsSinceReset: Slipway[] = []
  private firstChoices: CallOutput<'choices.read'> | null = null

  private constructor(
    readonly userData: string,
    private readonly environment: Record<string, string>,
  ) {}

  static async create(environment: Record<string, string>): Promise<SharedApplication> {
    return new SharedApplication(await mkdtemp(join(tmpdir(), 'slipway-user-data-')), environment)
  }

  async close(): Promise<void> {
    await this.runsSinceReset.at(-1)?.kill()
    await rm(this.userData, { recursive: true, force: true, maxRetries: 5 })
  }

  /** The running application. Starts it if it isn't. */
  async running(): Promise<Slipway> {
    const last = this.runsSinceReset.at(-1)
    if (last && !last.isClosed) return last
    const { userData, environment } = this
    const slipway = await Slipway.start({ userData, environment })
    this.runsSinceReset.push(slipway)
    await slipway.reduceMotion()
    await slipway.app.evaluate(({ dialog, shell }) => {
      Object.assign(globalThis, { original: { dialog: { ...dialog }, shell: { ...shell } } })
    })
    return slipway
  }

  /** Brings it back to where a first start leaves it. */
  async reset(): Promise<void> {
    const slipway = await this.running()
    const { page } = slipway
    this.runsSinceReset = [slipway]
    slipway.forgetErrors()
    this.firstChoices ??= await firstChoices(page)
    // A page of the application without its scripts: nothing keeps or draws what is forgotten. Calls are answered only
    // for the address of the page, which the reload then opens.
    await page.goto(new URL('packages.json', page.url()).href)
    await page.evaluate(() => history.replaceState(null, '', 'index.html#/deployments'))
    await page.evaluate(forgetAll, { firstChoices: this.firstChoices, noLastFilters })
    await slipway.app.evaluate(({ BrowserWindow, clipboard, dialog, shell }) => {
      const { original } = globalThis as unknown as { original: Replaced }
      Object.assign(dialog, original.dialog)
      Object.assign(shell, original.shell)
      clipboard.clear()
      const [own] = BrowserWindow.getAllWindows()
      own!.webContents.setZoomFactor(1)
      own!.setContentSize(1280, 800)
    })
    await page.emulateMedia({ colorScheme: null, forcedColors: null })
    await page.reload()
    await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
  }
}

/** The choices of a first start, with short lists. */
async function firstChoices(page: Page): Promise<CallOutput<'choices.read'>> {
  const choices = await call(page, 'choices.read', {})
  if (!choices.ok) throw new Error(choices.failure.message)
  return { ...choices.value, lists: shortLists }
}

/**
 * Runs in the page. Leaves the built-in environments alone, the first one of them as the current one, and nothing that
 * an operator keeps: unconfirmed creations, views, watches, drafts, templates, favourites, labels, notes and filters.
 */
async function forgetAll(first: {
  firstChoices: CallOutput<'choices.read'>
  noLastFilters: CallInput<'lastFilters.save'>['filters']
}): Promise<void> {
  const { calls } = (window as unknown as { slipway: Bridge }).slipway
  async function attempt<Name extends CallName>(
    name: Name,
    input: CallInput<Name>,
  ): Promise<Outcome<CallOutput<Name>>> {
    return JSON.parse(await calls[name](`reset-${Math.random()}`, input)) as Outcome<CallOutput<Name>>
  }
  async function ask<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<CallOutput<Name>> {
    const outcome = await attempt(name, input)
    if (!outcome.ok) throw new Error(`${name}: ${outcome.failure.message}`)
    return outcome.value
  }

  for (const entry of await ask('journal.list', { limit: 1_000, filter: 'creations' }))
    if (entry.kind === 'creation' && entry.state === 'unconfirmed') {
      const { environmentId, id: attemptId } = entry
      // Fails for those of a service that no environment leads to any more, which no form shows.
      await attempt('deployments.dismiss', { environmentId, attemptId })
    }
  const { environments: all } = await ask('app.state', {})
  await ask('environments.select', { id: all[0]!.id })
  for (const { id, name, storage } of all)
    if (storage !== 'built-in') await ask('environments.remove', { id, confirmedName: name })

  const views = await ask('views.list', {})
  if (views.length > 0) await ask('views.remove', { ids: views.map(({ id }) => id) })
  const { watches, notices } = await ask('watches.state', {})
  if (watches.length > 0) await ask('watches.remove', { ids: watches.map(({ id }) => id) })
  if (notices.length > 0) await ask('watches.dismiss', { ids: notices.map(({ id }) => id) })
  const { environments } = await ask('app.state', {})
  for (const { id: environmentId, service } of environments) {
    await ask('lastFilters.save', { environmentId, service: service!, filters: first.noLastFilters })
    const { drafts, templates } = await ask('drafts.list', { environmentId })
    for (const { id } of drafts) await ask('drafts.remove', { environmentId, id })
    for (const { id } of templates) await ask('drafts.removeTemplate', { environmentId, id })
    for (const { deploymentId, labels } of await ask('annotations.list', { environmentId })) {
      const changes = [...labels.map((removeLabel) => ({ removeLabel })), { favourite: false, note: '' }]
      for (const change of changes)
        await ask('annotations.save', { environmentId, service, deploymentId, name: null, change })
    }
  }
  await ask('choices.save', first.firstChoices)
}
