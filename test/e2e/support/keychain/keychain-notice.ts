import type { Locator, Page } from '@playwright/test'
import { expect } from '../fixtures'

/** The notice about a keychain that can't be used. */
export const keychainNotice = (page: Page): Locator => page.getByRole('region', { name: 'Keychain' })

/**
 * Presses Retry once the keychain is usable again, and waits until its notice is gone. A call in the background, such
 * as one by the sync's timer, may find out first and remove the notice.
 */
export async function retryKeychain(page: Page): Promise<void> {
  const notice = keychainNotice(page)
  const retry = notice.getByRole('button', { name: 'Retry' })
  await expect(async () => {
    if (await retry.isVisible()) await retry.click({ timeout: 1_000 })
    await expect(notice).toBeHidden({ timeout: 5_000 })
  }).toPass()
}
