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

/**
 * Ends a start that did not get the lock of the folder with the user data: without a word where another Slipway has it,
 * whose window comes to the front; and with the reason, and the exit code 1, where nobody can write there.
 */
export function endWithoutLock(): void {
  const folder = app.getPath('userData')
  const reason = whyNotWritable(folder)
  if (reason === null) {
    app.quit()
    return
  }
  const message = 'Slipway cannot write to the folder where it keeps its data.'
  const detail = `Make ${folder} writable for you, or make room on its disk, and start Slipway again. (${reason})`
  process.stderr.write(`${message} ${detail}\n`)
  void app
    .whenReady()
    .then(() =>
      dialog.showMessageBox({ type: 'error', title: 'Slipway', message, detail, buttons: ['Close'] }),
    )
    .finally(() => app.exit(1))
}
