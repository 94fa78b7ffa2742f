import type { Page } from '@playwright/test'
import type { Bridge } from '../../../electron/contract/ipc/bridge'
import type { CallInput, CallOutput } from '../../../electron/contract/ipc/calls'
import type { CallName } from '../../../electron/contract/ipc/names'
import type { Outcome } from '../../../electron/contract/failure'

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

/** The header value of those environments, which may turn up nowhere. */
export const secretHeader = 'a-key-that-nobody-may-see'
