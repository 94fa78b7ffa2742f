import type { Page } from '@playwright/test'
import type { Bridge } from '../../../electron/contract/ipc/bridge'
import type { CallInput, CallOutput } from '../../../electron/contract/ipc/calls'
import type { CallName } from '../../../electron/contract/ipc/names'
import type { Outcome } from '../../../electron/contract/core/outcome'

/** Makes a call from the page's script, as the page's own client does. */
export async function call<Name extends CallName>(
  page: Page,
  name: Name,
  input: CallInput<Name>,
): Promise<Outcome<CallOutput<Name>>> {
  const text = await page.evaluate(
    (asked) => {
      const { slipway } = window as unknown as { slipway: Bridge }
      return slipway.calls[asked.name](`test-${Math.random()}`, asked.input)
    },
    { name, input },
  )
  return JSON.parse(text) as Outcome<CallOutput<Name>>
}

/** Adds an environment and makes it the current one; gives its identifier. */
export async function addEnvironment(page: Page, name: string, baseUrl: string): Promise<string> {
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
  await select(page, saved.value.id)
  return saved.value.id
}

export async function select(page: Page, id: string): Promise<void> {
  const selected = await call(page, 'environments.select', { id })
  if (!selected.ok) throw new Error(JSON.stringify(selected.failure))
}

/**
 * Keeps the current environment from being synchronised by itself, for a test that counts what the journal has or a
 * service was asked: within 20 s after the start, which a busy machine may need for a test, that begins.
 */
export async function synchroniseNever(page: Page): Promise<void> {
  const state = await call(page, 'app.state', {})
  if (!state.ok) throw new Error(JSON.stringify(state.failure))
  const { currentEnvironmentId: environmentId } = state.value
  const set = await call(page, 'sync.interval', { environmentId, minutes: 0 })
  if (!set.ok) throw new Error(JSON.stringify(set.failure))
}

/** The header value of those environments, which may turn up nowhere. */
export const secretHeader = 'a-key-that-nobody-may-see'
