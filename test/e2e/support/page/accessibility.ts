import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import { expect, type Page } from '@playwright/test'
import { type Look, showIn } from './look'

/** The rules whose findings depend on colours. */
const colourRules: RunOptions = {
  runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
}

const axeScript = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Expects that axe-core finds no violation on the page as it is now, in light; in an open dialog only, since the rest of
 * the page is inert meanwhile. In `more` looks, it checks the rules that depend on colours. That dark is as readable as
 * light is tried on each screen (screens.spec.ts) and for each pair of colours (unit tests of the theme). The debugger
 * injects the script, past the page's Content-Security-Policy.
 *
 * @param where the screen and its state, for the failure's message
 */
export async function expectAccessible(page: Page, where: string, more: readonly Look[] = []): Promise<void> {
  await page.evaluate(axeScript)
  for (const look of more) {
    await showIn(page, { forcedColors: 'none', ...look })
    await check(page, `${where}, ${Object.values(look).join(', ')}`, colourRules)
  }
  await showIn(page, { colorScheme: 'light', forcedColors: 'none' })
  await check(page, where, {})
}

async function check(page: Page, where: string, options: RunOptions): Promise<void> {
  const violations = await page.evaluate(async (chosen) => {
    const { axe } = window as unknown as {
      axe: { run: (scope: Element, options: RunOptions) => Promise<AxeResults> }
    }
    const scope = [...document.querySelectorAll('[aria-modal="true"], dialog:modal')].at(-1)
    return (await axe.run(scope ?? document.documentElement, { resultTypes: ['violations'], ...chosen }))
      .violations
  }, options)
  const found = violations.map(({ id, help, nodes }) => ({
    rule: `${id}: ${help}`,
    where: nodes.map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary ?? ''}`),
  }))
  expect(found, `axe-core on ${where}`).toEqual([])
}
