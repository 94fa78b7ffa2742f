import { type Page, expect } from '@playwright/test'
import type { AxeResults, RunOptions } from 'axe-core'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { inProject } from '../../../../electron/launcher/base.mjs'
import type { Slipway } from '../slipway'

/** Light or dark, and whether the system replaces the colours. A member that is left out stays as it is. */
export interface Look {
  colorScheme?: 'light' | 'dark'
  forcedColors?: 'none' | 'active'
}

/**
 * Shows the page in this look. The theme follows with the page's next frame. Until then, the page would
 * be half in one look and half in the other.
 */
export async function showIn(page: Page, look: Look): Promise<void> {
  await page.emulateMedia(look)
  if (look.colorScheme)
    await expect(page.locator('html')).toHaveAttribute('data-appearance', look.colorScheme)
}

/** The contrast themes: white on black, and black on white. */
export const forcedLooks: readonly Look[] = [
  { colorScheme: 'dark', forcedColors: 'active' },
  { colorScheme: 'light', forcedColors: 'active' },
]

/** The rules whose findings depend on colours. */
const colourRules: RunOptions = {
  runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
}

const axeScript = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Expects that axe-core finds no violation on the page as it is now, in light; in an open dialog only, since the rest of
 * the page is inert meanwhile. In `more` looks, it checks the rules that depend on colours. That dark is as readable as
 * light is tried on each screen (accessibility.spec.ts) and for each pair of colours (unit tests of the theme). The
 * debugger injects the script, past the page's Content-Security-Policy, once for each page.
 *
 * @param where the screen and its state, for the failure's message
 */
export async function expectAccessible(page: Page, where: string, more: readonly Look[] = []): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeScript)
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

/** The screens of the navigation, by their names. */
export const screenNames = [
  'Overview',
  'Board',
  'Deployments',
  'Repositories',
  'New deployment',
  'Environments',
  'Activity',
] as const

const pictureSizes = [
  { width: 1920, height: 1080 },
  { width: 900, height: 600 },
  { width: 1280, height: 800 },
]

/**
 * Expects that axe-core finds nothing on a screen as it is now, in light and in `more` looks. With SLIPWAY_PICTURES=1, it
 * also saves pictures for people to look at: .screenshots/NAME-light-1280x800.png, and so on; then, it ends at 1280x800.
 *
 * @param name the screen and its state, such as "deployments" or "deployments-empty"
 */
export async function inspectScreen(
  slipway: Slipway,
  name: string,
  more: readonly Look[] = [],
): Promise<void> {
  await expectAccessible(slipway.page, name, more)
  if (process.env.SLIPWAY_PICTURES !== '1') return
  for (const { width, height } of pictureSizes) {
    await slipway.resize(width, height)
    for (const colorScheme of ['dark', 'light'] as const) {
      await showIn(slipway.page, { colorScheme })
      const file = `${name}-${colorScheme}-${width}x${height}.png`
      await slipway.page.screenshot({ path: inProject('.screenshots', file) })
    }
  }
}
