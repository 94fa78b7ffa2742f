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

const usualSize: Size = { width: 1280, height: 800 }
const largeSize: Size = { width: 1920, height: 1080 }

/** Pictures of all sizes take several minutes of a whole run, and nothing but people looks at them. */
const savesAllSizes = process.env.SLIPWAY_PICTURES === '1'

/**
 * Checks a screen as it is now, in light and in dark: expects no violation from axe-core, and saves a picture of each
 * in .screenshots/ as NAME-light-1280x800.png; with SLIPWAY_PICTURES=1, of all window sizes. Ends in light at
 * 1280x800.
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
    const others = savesAllSizes ? [...more, largeSize] : []
    for (const { width, height } of [...others, usualSize]) {
      await slipway.resize(width, height)
      const file = `${name}-${colorScheme}-${width}x${height}.png`
      await slipway.page.screenshot({ path: join(screenshotFolder, file) })
    }
  }
}
