import { inProject } from '../../../../electron/launcher/base.mjs'
import { expectAccessible } from './accessibility'
import { type Look, showIn } from './look'
import type { Slipway } from '../slipway'

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
