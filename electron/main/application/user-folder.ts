import { readlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { app, dialog } from 'electron'
import { whyNotWritable } from '../files'
import { isUnseen } from '../window/first-list'

/** The user data folder; null if the system has no place for one, such as without HOME or with an invalid one. */
export function userFolder(): string | null {
  if (!isNamed()) return null
  try {
    return app.commandLine.getSwitchValue('user-data-dir') || app.getPath('userData')
  } catch {
    return null
  }
}

/**
 * Without HOME, Chromium uses the folder for temporary files, where any user may have put files before. With a relative
 * HOME, it uses a folder in the working directory.
 */
function isNamed(): boolean {
  if (process.platform !== 'linux' || app.commandLine.getSwitchValue('user-data-dir') !== '') return true
  const { XDG_CONFIG_HOME, HOME } = process.env
  return isAbsolute(XDG_CONFIG_HOME || HOME || '')
}

/**
 * Ends a start that didn't get the lock of the user data folder. If another Slipway has it, its window comes to the
 * front. If the folder or the folder for temporary files isn't writable, says so and exits with code 1.
 */
export function endWithoutLock(folder: string): void {
  const reason = whyNotWritable(folder)
  const temporary = tmpdir()
  const reasonForTemporary = whyNotWritable(temporary)
  if (reason !== null) {
    endWith("Slipway can't write to the folder where it keeps its data.", adviceFor(folder, reason))
  } else if (reasonForTemporary !== null) {
    endWith(
      "Slipway can't write to the folder for temporary files.",
      adviceFor(temporary, reasonForTemporary),
    )
  } else {
    const pid = lockHolder(folder)
    say(
      `Slipway is already running${pid === null ? '' : `, as process ${pid}`}. Its window comes to the front.`,
      "If it was started without a display, you can't see it: end it first, then start Slipway again.",
    )
    app.quit()
  }
}

/** The process that holds the lock of a folder, as Chromium records it on Linux and macOS; null if it isn't known. */
function lockHolder(folder: string): string | null {
  try {
    return /-(\d+)$/.exec(readlinkSync(join(folder, 'SingletonLock')))?.[1] ?? null
  } catch {
    return null
  }
}

/** Ends a start without a user data folder: says why and exits with code 1. */
export function endWithoutFolder(): never {
  const goesFirst = process.platform === 'linux' && process.env['XDG_CONFIG_HOME']
  const what = goesFirst
    ? 'Unset XDG_CONFIG_HOME, or set it to the whole path of a folder'
    : 'Set HOME to a folder'
  say(
    'Slipway has no folder to keep its data in.',
    `${what} that you can write to, then start Slipway again.`,
  )
  // Exits at once, without a dialog: Chromium crashes without the folder.
  process.exit(1)
}

/** The system's error codes for paths that aren't folders. */
const notAFolder = ['EEXIST', 'ENOTDIR']

/** Whether something else is in the folder's place. Electron would use its default folder instead, without a word. */
export const isNoFolder = (folder: string): boolean => notAFolder.includes(whyNotWritable(folder) ?? '')

function adviceFor(folder: string, reason: string): string {
  const whatToDo = notAFolder.includes(reason)
    ? `${folder} is not a folder. Move away what is in its place, or in that of a folder above it`
    : `Make ${folder} writable for you, or make room on its disk`
  return `${whatToDo}, and start Slipway again. (${reason})`
}

function say(message: string, detail: string): void {
  process.stderr.write(`${message} ${detail}\n`)
}

function endWith(message: string, detail: string): void {
  say(message, detail)
  if (isUnseen()) process.exit(1)
  void app
    .whenReady()
    .then(() =>
      dialog.showMessageBox({ type: 'error', title: 'Slipway', message, detail, buttons: ['Close'] }),
    )
    .finally(() => app.exit(1))
}

/**
 * Chromium creates a socket in a folder of its own, in the folder for temporary files. If it can't, or if the path is
 * longer than the system allows, Chromium ends without a message. The limit is 107 bytes, on macOS 103. Its own part
 * takes up to 46.
 */
const longest = 103 - 46

/**
 * Uses the system's folder for temporary files if Chromium can't use the one in TMPDIR. Call it before the lock of the
 * user data folder is requested.
 *
 * @returns why it can't, as a clause; null if it can, or TMPDIR isn't set
 */
export function avoidUnusableTemporaryFolder(): string | null {
  const folder = process.env['TMPDIR']
  if (!folder) return null
  const why = whyNotUsable(folder)
  if (why !== null) delete process.env['TMPDIR']
  return why
}

function whyNotUsable(folder: string): string | null {
  if (Buffer.byteLength(folder) > longest) return 'the path in TMPDIR is too long'
  const reason = whyNotWritable(folder)
  return reason === null ? null : `nothing can be written to the one in TMPDIR (${reason})`
}
