import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import type { BrowserWindow, Dialog, Shell } from 'electron'
import type { CallInput, CallName, CallOutput } from '@contract'
import { noLastFilters } from '@contract/app/personal-values'
import { call } from './bridge'
import { Slipway } from './slipway'

/** What tests replace in the main process, by module. */
interface Replaced {
  dialog: Partial<Dialog>
  shell: Partial<Shell>
}

/**
 * One application for the tests of a worker. `reset` brings it back to where a first start leaves it, except for the
 * journal and what the caches of the sandboxes have. It works by the calls that the page itself makes.
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
    await slipway.page.emulateMedia({ reducedMotion: 'reduce' })
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
    if (this.firstChoices === null) {
      this.firstChoices = await this.ask('choices.read', {})
      return
    }
    slipway.forgetErrors()
    await page.evaluate(() => (location.hash = '#/deployments'))
    await this.dismissAttempts()
    await this.forgetEnvironments()
    await this.forgetPersonal()
    await this.ask('choices.save', this.firstChoices)
    const window = await slipway.app.browserWindow(page)
    await window.evaluate((own: BrowserWindow) => {
      own.webContents.setZoomFactor(1)
      own.setContentSize(1280, 800)
    })
    await slipway.app.evaluate(({ clipboard, dialog, shell }) => {
      const { original } = globalThis as unknown as { original: Replaced }
      Object.assign(dialog, original.dialog)
      Object.assign(shell, original.shell)
      clipboard.clear()
    })
    await page.emulateMedia({ colorScheme: null, forcedColors: null, reducedMotion: 'reduce' })
    await page.reload()
    await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
  }

  /** Makes a call that must succeed. */
  private async ask<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<CallOutput<Name>> {
    const outcome = await call(this.runsSinceReset.at(-1)!.page, name, input)
    if (!outcome.ok) throw new Error(`${name}: ${outcome.failure.message}`)
    return outcome.value
  }

  /** Dismisses unconfirmed creations, which the form would show. */
  private async dismissAttempts(): Promise<void> {
    for (const entry of await this.ask('journal.list', { limit: 1_000, filter: 'creations' }))
      if (entry.kind === 'creation' && entry.state === 'unclear') {
        const { environmentId, id: attemptId } = entry
        // Fails for those of a service that no environment leads to any more, which no form shows.
        await call(this.runsSinceReset.at(-1)!.page, 'deployments.dismiss', { environmentId, attemptId })
      }
  }

  /** Leaves the built-in environments alone, and the first one of them as the current one. */
  private async forgetEnvironments(): Promise<void> {
    const { environments } = await this.ask('app.state', {})
    const [first] = environments
    await this.ask('environments.select', { id: first!.id })
    for (const { id, name, storage } of environments)
      if (storage !== 'built-in') await this.ask('environments.remove', { id, confirmedName: name })
  }

  /** Removes what an operator keeps: views, watches, drafts, templates, favourites, labels, notes and filters. */
  private async forgetPersonal(): Promise<void> {
    const views = await this.ask('views.list', {})
    if (views.length > 0) await this.ask('views.remove', { ids: views.map(({ id }) => id) })
    const { watches, notices } = await this.ask('watches.state', {})
    if (watches.length > 0) await this.ask('watches.remove', { ids: watches.map(({ id }) => id) })
    if (notices.length > 0) await this.ask('watches.dismiss', { ids: notices.map(({ id }) => id) })
    const { environments } = await this.ask('app.state', {})
    for (const { id: environmentId, service } of environments) {
      await this.ask('lastFilters.save', { environmentId, service: service!, filters: noLastFilters })
      const { drafts, templates } = await this.ask('drafts.list', { environmentId })
      for (const { id } of drafts) await this.ask('drafts.remove', { environmentId, id })
      for (const { id } of templates) await this.ask('drafts.removeTemplate', { environmentId, id })
      for (const { deploymentId, labels } of await this.ask('annotations.list', { environmentId })) {
        const changes = [...labels.map((removeLabel) => ({ removeLabel })), { favourite: false, note: '' }]
        for (const change of changes)
          await this.ask('annotations.save', { environmentId, service, deploymentId, name: null, change })
      }
    }
  }
}
