import { flipFuses, FuseV1Options, FuseVersion, getCurrentFuseWire } from '@electron/fuses'
import { printStatus, SetupFailure } from '../base/progress.mjs'

/**
 * A decision for every fuse that @electron/fuses knows. A new fuse in a later version fails the type check until it has
 * a decision, too. What each does: https://www.electronjs.org/docs/latest/tutorial/fuses
 *
 * @type {Readonly<Record<keyof typeof FuseV1Options, boolean>>}
 */
const fuses = {
  // The program must not run other scripts as Node does.
  RunAsNode: false,
  EnableNodeOptionsEnvironmentVariable: false,
  EnableNodeCliInspectArguments: false,
  // Slipway stores no cookies. If Chromium does, it encrypts them.
  EnableCookieEncryption: true,
  // The program loads app.asar only, and on macOS and Windows checks that it wasn't changed. Linux has no such check,
  // and nothing checks the native modules beside app.asar.
  EnableEmbeddedAsarIntegrityValidation: true,
  OnlyLoadAppFromAsar: true,
  LoadBrowserProcessSpecificV8Snapshot: false,
  // Pages come from app://, never from file://.
  GrantFileProtocolExtraPrivileges: false,
}

/** The bytes of the fuse wire for the two states. */
const on = '1'.charCodeAt(0)
const off = '0'.charCodeAt(0)

/**
 * Sets every fuse that an Electron program has and reads them back. Older programs lack some. Fuses that
 * @electron/fuses doesn't know yet stay as Electron sets them, with a note.
 *
 * @param {string} program path of the program, on macOS of the .app
 * @throws {SetupFailure} if a fuse has another state afterwards
 */
export async function setFuses(program) {
  const before = await getCurrentFuseWire(program)
  const names = /** @type {(keyof typeof FuseV1Options)[]} */ (Object.keys(fuses)).filter(
    (name) => FuseV1Options[name] in before,
  )
  const unknown = Object.keys(before).filter((key) => /^\d+$/.test(key) && !(key in FuseV1Options))
  if (unknown.length > 0)
    printStatus(`fuse ${unknown.join(', ')} of this Electron stays as Electron sets it.`)
  await flipFuses(program, {
    version: FuseVersion.V1,
    resetAdHocDarwinSignature: process.platform === 'darwin',
    ...Object.fromEntries(names.map((name) => [FuseV1Options[name], fuses[name]])),
  })
  const after = await getCurrentFuseWire(program)
  const wrong = names.filter((name) => Number(after[FuseV1Options[name]]) !== (fuses[name] ? on : off))
  if (wrong.length === 0) return
  throw new SetupFailure(
    `These fuses of ${program} don't have the state that Slipway needs: ${wrong.join(', ')}.`,
    'do not distribute this package; check whether @electron/fuses supports this Electron.',
  )
}
