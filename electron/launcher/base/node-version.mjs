import { SetupFailure } from './progress.mjs'

/** The oldest Node that the toolchain runs on, as in package.json's `engines`. */
const oldest = [20, 19]

/**
 * Refuses a Node that is too old. The modules that an entry script imports use only syntax that old versions know, so
 * that this message is printed instead of a syntax error.
 *
 * @param {string} [version] as in process.versions.node
 * @throws {SetupFailure}
 */
export function checkNodeVersion(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = oldest
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return
  throw new SetupFailure(
    `Slipway needs Node ${oldest.join('.')} or newer; this is Node ${version} (${process.execPath}).`,
    'install a current Node from https://nodejs.org and run the command again.',
  )
}
