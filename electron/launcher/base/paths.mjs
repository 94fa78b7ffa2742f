import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the checkout, without a slash at the end. */
export const projectFolder = folderAbove(fileURLToPath(import.meta.url))

/**
 * The nearest folder with a package.json. A path relative to this file would be another one in the built benchmarks.
 *
 * @param {string} path
 * @returns {string}
 */
function folderAbove(path) {
  const folder = dirname(path)
  return existsSync(join(folder, 'package.json')) ? folder : folderAbove(folder)
}

/**
 * A path inside the checkout.
 *
 * @param {...string} parts
 * @returns {string}
 */
export const inProject = (...parts) => join(projectFolder, ...parts)

/**
 * The user's own cache folder for Slipway, shared by all checkouts. It is not created here.
 *
 * @param {NodeJS.ProcessEnv} [environment]
 * @param {NodeJS.Platform} [platform]
 * @returns {string}
 */
export function userCacheFolder(environment = process.env, platform = process.platform) {
  if (environment.XDG_CACHE_HOME) return join(environment.XDG_CACHE_HOME, 'slipway')
  if (platform === 'win32' && environment.LOCALAPPDATA) {
    return join(environment.LOCALAPPDATA, 'slipway', 'Cache')
  }
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'slipway')
  return join(homedir(), '.cache', 'slipway')
}
