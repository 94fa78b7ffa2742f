import { readlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { app, dialog } from 'electron'
import { whyNotWritable } from '../files/writable'
import { isUnseen } from '../window/first-list'

/**
 * The folder with the user data; null where the system has no place for one, as with a HOME that leads nowhere, or
 * without one.
 */
export function userFolder(): string | null {
  if (!isNamed()) return null
  try {
    return app.getPath('userData')
  } catch {
    return null
  }
}

/**
 * Without HOME, Chromium takes the folder for temporary files, where every user of the machine may have put something
 * before; and where it is relative, one below the folder that the start was made in.
 */
function isNamed(): boolean {
  if (process.platform !== 'linux' || app.commandLine.getSwitchValue('user-data-dir') !== '') return true
  const { XDG_CONFIG_HOME, HOME } = process.env
  return isAbsolute(XDG_CONFIG_HOME || HOME || '')
}

/**
 * Ends a start that did not get the lock of the folder with the user data, in order where another Slipway has it, whose
 * window comes to the front; and with the reason, and the exit code 1, where nobody can write there, or where the system
 * keeps temporary files. Either is said.
 */
export function endWithoutLock(folder: string): void {
  const reason = whyNotWritable(folder)
  const temporary = tmpdir()
  const reasonForTemporary = whyNotWritable(temporary)
  if (reason !== null) {
    endWith('Slipway cannot write to the folder where it keeps its data.', adviceFor(folder, reason))
  } else if (reasonForTemporary !== null) {
    endWith(
      'Slipway cannot write to the folder for temporary files.',
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

/** The process that has the lock of a folder, as Chromium notes it on Linux and macOS; null where that can't be told. */
function lockHolder(folder: string): string | null {
  try {
    return /-(\d+)$/.exec(readlinkSync(join(folder, 'SingletonLock')))?.[1] ?? null
  } catch {
    return null
  }
}

/** Ends a start without a folder for the user data, with the reason and the exit code 1. */
export function endWithoutFolder(): never {
  const goesFirst = process.platform === 'linux' && process.env['XDG_CONFIG_HOME']
  const what = goesFirst
    ? 'Unset XDG_CONFIG_HOME, or set it to the whole path of a folder'
    : 'Set HOME to a folder'
  say(
    'Slipway has no folder to keep its data in.',
    `${what} that you can write to, then start Slipway again.`,
  )
  // At once, and so without a dialog: Chromium crashes without the folder.
  process.exit(1)
}

/** Codes of the system for something else than a folder. */
const notAFolder = ['EEXIST', 'ENOTDIR']

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
