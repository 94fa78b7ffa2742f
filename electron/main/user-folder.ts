import { mkdirSync, mkdtempSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { app, dialog } from 'electron'
import { ownerOnly } from './files'

/**
 * Why nothing can be written into a folder, as a code of the system; null where it can. Makes the folder where it is
 * missing.
 */
export function whyNotWritable(folder: string): string | null {
  try {
    mkdirSync(folder, { recursive: true, mode: ownerOnly.folder })
    rmdirSync(mkdtempSync(join(folder, 'writable-')))
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}

/** The folder with the user data; null where the system has no place for one, as with a HOME that leads nowhere. */
export function userFolder(): string | null {
  try {
    return app.getPath('userData')
  } catch {
    return null
  }
}

/**
 * Ends a start that did not get the lock of the folder with the user data: without a word where another Slipway has it,
 * whose window comes to the front; and with the reason, and the exit code 1, where nobody can write there.
 */
export function endWithoutLock(folder: string): void {
  const reason = whyNotWritable(folder)
  if (reason === null) app.quit()
  else {
    endWith(
      'Slipway cannot write to the folder where it keeps its data.',
      `Make ${folder} writable for you, or make room on its disk, and start Slipway again. (${reason})`,
    )
  }
}

/** Ends a start without a folder for the user data, with the reason and the exit code 1. */
export function endWithoutFolder(): never {
  say(
    'Slipway has no folder to keep its data in.',
    'Set HOME to a folder that you may write to, and start Slipway again.',
  )
  // At once, and so without a dialog: Chromium crashes without the folder.
  process.exit(1)
}

function say(message: string, detail: string): void {
  process.stderr.write(`${message} ${detail}\n`)
}

function endWith(message: string, detail: string): void {
  say(message, detail)
  void app
    .whenReady()
    .then(() =>
      dialog.showMessageBox({ type: 'error', title: 'Slipway', message, detail, buttons: ['Close'] }),
    )
    .finally(() => app.exit(1))
}
