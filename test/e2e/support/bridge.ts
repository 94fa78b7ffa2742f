import { expect, type Page } from '@playwright/test'
import type { Bridge, CallName } from '../../../electron/contract/ipc/names'
import type { CallInput, CallOutput } from '../../../electron/contract/ipc/calls'
import type { Outcome } from '../../../electron/contract/core/outcome'

/** Makes a call from a script in the page, as the page's own client does. */
export async function call<Name extends CallName>(
  page: Page,
  name: Name,
  input: CallInput<Name>,
): Promise<Outcome<CallOutput<Name>>> {
  const text = await page.evaluate(
    (called) => {
      const { slipway } = window as unknown as { slipway: Bridge }
      return slipway.calls[called.name](`test-${Math.random()}`, called.input)
    },
    { name, input },
  )
  return JSON.parse(text) as Outcome<CallOutput<Name>>
}

/**
 * Adds an environment and makes it the current one. Returns its identifier.
 *
 * @param isSynchronised whether it is synchronised in the background, which its first list begins
 */
export async function addEnvironment(
  page: Page,
  name: string,
  baseUrl: string,
  isSynchronised = true,
): Promise<string> {
  const saved = await call(page, 'environments.save', {
    id: null,
    name,
    baseUrl,
    mode: 'cloud',
    colour: 'teal',
    protected: false,
    headers: [{ name: 'X-Api-Key', value: secretHeader }],
    integrations: [],
  })
  if (!saved.ok) throw new Error(JSON.stringify(saved.failure))
  if (!isSynchronised) await call(page, 'sync.interval', { environmentId: saved.value.id, minutes: 0 })
  await select(page, saved.value.id)
  return saved.value.id
}

export async function select(page: Page, id: string): Promise<void> {
  const selected = await call(page, 'environments.select', { id })
  if (!selected.ok) throw new Error(JSON.stringify(selected.failure))
}

/**
 * Turns off background synchronisation of the current environment and of the sandboxes, for a test that counts entries
 * of the journal or requests to a service. On a busy machine, it would start during the test. Gives the identifier of
 * the current environment.
 */
export async function synchroniseNever(page: Page): Promise<string> {
  const state = await call(page, 'app.state', {})
  if (!state.ok) throw new Error(JSON.stringify(state.failure))
  const { currentEnvironmentId: current, environments } = state.value
  const sandboxes = environments.filter(({ storage }) => storage === 'built-in').map(({ id }) => id)
  for (const environmentId of new Set([current, ...sandboxes])) {
    // A sandbox's address changes while its service starts, which refuses what is written meanwhile.
    await expect
      .poll(() => call(page, 'sync.interval', { environmentId, minutes: 0 }))
      .toMatchObject({ ok: true })
  }
  return current
}

/** Synchronises the current environment, and waits for the end. */
export async function synchronise(page: Page, environmentId: string): Promise<void> {
  const lastEnd = async () => {
    const outcome = await call(page, 'sync.state', { environmentId })
    return outcome.ok && outcome.value.progress === null ? outcome.value.last : null
  }
  const before = (await lastEnd())?.at
  await call(page, 'sync.start', { environmentId })
  await expect
    .poll(async () => {
      const last = await lastEnd()
      return last?.at === before ? null : last?.end
    })
    .toBe('complete')
}

/** The header value of these environments. It must not appear anywhere. */
export const secretHeader = 'a-key-that-nobody-may-see'
