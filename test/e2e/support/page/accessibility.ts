import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import { expect, type Page } from '@playwright/test'
import { type Look, showIn } from './look'

/** The rules whose findings depend on colours. */
const colourRules: RunOptions = {
  runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
}

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/**
 * Expects that axe-core finds no violation on the page as it is now: with all rules in light, and with those
 * that depend on colours in dark and in `more` looks. The debugger injects the script, past the page's
 * Content-Security-Policy.
 *
 * @param where the screen and its state, for the failure's message
 */
export async function expectAccessible(page: Page, where: string, more: readonly Look[] = []): Promise<void> {
  await page.evaluate(await readFile(axePath, 'utf8'))
  for (const look of [...more, { colorScheme: 'dark' } as const]) {
    await showIn(page, { forcedColors: 'none', ...look })
    await check(page, `${where}, ${Object.values(look).join(', ')}`, colourRules)
  }
  await showIn(page, { colorScheme: 'light', forcedColors: 'none' })
  await check(page, where, {})
}

async function check(page: Page, where: string, options: RunOptions): Promise<void> {
  const violations = await page.evaluate(async (chosen) => {
    const { axe } = window as unknown as { axe: { run: (options: RunOptions) => Promise<AxeResults> } }
    return (await axe.run({ resultTypes: ['violations'], ...chosen })).violations
  }, options)
  const found = violations.map(({ id, help, nodes }) => ({
    rule: `${id}: ${help}`,
    where: nodes.map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary ?? ''}`),
  }))
  expect(found, `axe-core on ${where}`).toEqual([])
}
