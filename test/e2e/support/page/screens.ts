import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expectAccessible } from './accessibility'
import { showIn } from './look'
import { screenshotFolder, type Slipway } from '../slipway'

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

interface Size {
  width: number
  height: number
}

const usualSizes: readonly Size[] = [
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
]

/**
 * Checks a screen as it is now, in light and in dark: expects no violation from axe-core, and saves screenshots of
 * all window sizes in .screenshots/ as NAME-light-1280x800.png and so on. Ends in light at 1280x800.
 *
 * @param name the screen and its state, such as "deployments" or "deployments-empty"
 * @param more sizes besides the usual ones
 */
export async function inspectScreen(
  slipway: Slipway,
  name: string,
  more: readonly Size[] = [],
): Promise<void> {
  await mkdir(screenshotFolder, { recursive: true })
  for (const colorScheme of ['dark', 'light'] as const) {
    await showIn(slipway.page, { colorScheme })
    await expectAccessible(slipway.page, `${name}, ${colorScheme}`)
    for (const { width, height } of [...usualSizes, ...more].reverse()) {
      await slipway.resize(width, height)
      const file = `${name}-${colorScheme}-${width}x${height}.png`
      await slipway.page.screenshot({ path: join(screenshotFolder, file) })
    }
  }
}
