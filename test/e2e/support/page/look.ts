import { expect, type Page } from '@playwright/test'

/** Light or dark, and whether the system replaces the colours. A member that is left out stays as it is. */
export interface Look {
  colorScheme?: 'light' | 'dark'
  forcedColors?: 'none' | 'active'
}

/**
 * Shows the page in this look, without motion. The theme follows with the page's next frame. Until then, the page would
 * be half in one look and half in the other.
 */
export async function showIn(page: Page, look: Look): Promise<void> {
  await page.emulateMedia({ ...look, reducedMotion: 'reduce' })
  if (look.colorScheme)
    await expect(page.locator('html')).toHaveAttribute('data-appearance', look.colorScheme)
}

export const looks: readonly Look[] = [
  { colorScheme: 'dark', forcedColors: 'none' },
  { colorScheme: 'light', forcedColors: 'none' },
]

/** The contrast themes: white on black, and black on white. */
export const forcedLooks: readonly Look[] = [
  { colorScheme: 'dark', forcedColors: 'active' },
  { colorScheme: 'light', forcedColors: 'active' },
]
