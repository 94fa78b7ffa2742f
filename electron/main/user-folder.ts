import { tmpdir } from 'node:os'
import { app, dialog } from 'electron'
import { whyNotWritable } from './files/writable'

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
 * whose window comes to the front; and with the reason, and the exit code 1, where nobody can write there, or where the
 * system keeps temporary files.
 */
export function endWithoutLock(folder: string): void {
  const reason = whyNotWritable(folder)
  const temporary = tmpdir()
  const reasonForTemporary = whyNotWritable(temporary)
  if (reason !== null) {
    endWith(
      'Slipway cannot write to the folder where it keeps its data.',
      `Make ${folder} writable for you, or make room on its disk, and start Slipway again. (${reason})`,
    )
  } else if (reasonForTemporary !== null) {
    endWith(
      'Slipway cannot write to the folder for temporary files.',
      `Make ${temporary} writable for you, or make room on its disk, and start Slipway again. (${reasonForTemporary})`,
    )
  } else app.quit()
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
