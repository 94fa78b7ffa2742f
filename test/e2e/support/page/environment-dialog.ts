import type { Locator } from '@playwright/test'

/** Opens the part of the environment dialog that has integrations, certificate and proxy, unless it is open. */
export async function openAdvanced(dialog: Locator): Promise<void> {
  const toggle = dialog.getByRole('button', { name: 'Advanced', exact: true })
  if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click()
}
