import { flipFuses, FuseV1Options, FuseVersion, getCurrentFuseWire } from '@electron/fuses'
import { say, SetupFailure } from '../base/progress.mjs'

/**
 * Every fuse that @electron/fuses knows, each decided here: a further one in a later version of it fails the type
 * check until it is decided as well. What each does: https://www.electronjs.org/docs/latest/tutorial/fuses
 *
 * @type {Readonly<Record<keyof typeof FuseV1Options, boolean>>}
 */
const fuses = {
  // The program is Slipway and never a Node for somebody else's script.
  RunAsNode: false,
  EnableNodeOptionsEnvironmentVariable: false,
  EnableNodeCliInspectArguments: false,
  // Nothing keeps cookies on disk; what Chromium might, it encrypts.
  EnableCookieEncryption: true,
  // It loads app.asar and no other application, and on macOS and Windows no changed one. Linux has no such check, and
  // native modules, which lie beside app.asar, are checked nowhere.
  EnableEmbeddedAsarIntegrityValidation: true,
  OnlyLoadAppFromAsar: true,
  LoadBrowserProcessSpecificV8Snapshot: false,
  // Pages come from app://, never from file://.
  GrantFileProtocolExtraPrivileges: false,
}

/** The byte of a fuse wire that stands for each state. */
const on = '1'.charCodeAt(0)
const off = '0'.charCodeAt(0)

/**
 * Sets every fuse that an Electron program has and reads them back. Older programs lack the last ones; one that is
 * newer than @electron/fuses keeps its further ones as Electron sets them, which is said.
 *
 * @param {string} program path of the program, on macOS of the .app
 * @throws {SetupFailure} where one is not as decided afterwards
 */
export async function setFuses(program) {
  const before = await getCurrentFuseWire(program)
  const names = /** @type {(keyof typeof FuseV1Options)[]} */ (Object.keys(fuses)).filter(
    (name) => FuseV1Options[name] in before,
  )
  const further = Object.keys(before).filter((key) => /^\d+$/.test(key) && !(key in FuseV1Options))
  if (further.length > 0) say(`fuse ${further.join(', ')} of this Electron is left as Electron sets it.`)
  await flipFuses(program, {
    version: FuseVersion.V1,
    resetAdHocDarwinSignature: process.platform === 'darwin',
    ...Object.fromEntries(names.map((name) => [FuseV1Options[name], fuses[name]])),
  })
  const after = await getCurrentFuseWire(program)
  const wrong = names.filter((name) => Number(after[FuseV1Options[name]]) !== (fuses[name] ? on : off))
  if (wrong.length === 0) return
  throw new SetupFailure(
    `These fuses of ${program} are not as Slipway needs them: ${wrong.join(', ')}.`,
    'do not pass this package on; see whether @electron/fuses supports this Electron.',
  )
}
