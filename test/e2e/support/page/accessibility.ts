import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import { expect, type Page } from '@playwright/test'
import { showIn } from './look'

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/**
 * Expects that axe-core finds no violation on the page as it is now. The debugger injects the script, past the page's
 * Content-Security-Policy.
 *
 * @param where the screen and the colours, for the failure's message
 */
export async function expectAccessible(page: Page, where: string): Promise<void> {
  await page.evaluate(await readFile(axePath, 'utf8'))
  const results = await page.evaluate(() =>
    (window as unknown as { axe: { run: () => Promise<AxeResults> } }).axe.run(),
  )
  const found = results.violations.map(({ id, help, nodes }) => ({
    rule: `${id}: ${help}`,
    where: nodes.map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary ?? ''}`),
  }))
  expect(found, `axe-core on ${where}`).toEqual([])
}

/** The same, in light and in dark. */
export async function expectAccessibleInBoth(page: Page, where: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await showIn(page, { colorScheme })
    await expectAccessible(page, `${where}, ${colorScheme}`)
  }
}
