import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { app, type BrowserWindow, dialog, shell } from 'electron'

/** Asks where to save a zip file; null when the user would rather not. */
export async function askWhere(window: BrowserWindow | null, suggestedName: string): Promise<string | null> {
  const options = {
    title: 'Export diagnostics',
    defaultPath: join(app.getPath('downloads'), suggestedName),
    filters: [{ name: 'Zip files', extensions: ['zip'] }],
  }
  const { canceled, filePath } = await (window
    ? dialog.showSaveDialog(window, options)
    : dialog.showSaveDialog(options))
  return canceled || !filePath ? null : filePath
}

/** Shows a folder of the application's own in the system's file manager, and makes it where it is missing. */
export async function showFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(() => undefined)
  return shell.openPath(folder)
}
