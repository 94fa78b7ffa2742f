import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  app,
  type BrowserWindow,
  dialog,
  type OpenDialogOptions,
  type SaveDialogOptions,
  shell,
} from 'electron'
import type { ShowDialog } from './one-dialog'

/** What a dialog asks for: its titles and the files that it shows. */
interface DialogTexts {
  open: string
  save: string
  files: { name: string; extensions: string[] }
}

/** Dialogs that open and save a file. Each gives a path, or null when the operator cancels. */
export interface FileDialogs {
  askWhich: () => Promise<string | null>
  askWhere: (suggestedName: string) => Promise<string | null>
}

function dialogsFor({ open, save, files }: DialogTexts): (show: ShowDialog) => FileDialogs {
  const filters = [files, { name: 'All files', extensions: ['*'] }]
  return (show) => ({
    askWhich: () => show((window) => chooseFile(window, { title: open, filters })),
    askWhere: (suggestedName) =>
      show((window) =>
        chooseTarget(window, {
          title: save,
          defaultPath: join(app.getPath('documents'), suggestedName),
          filters,
        }),
      ),
  })
}

export const requestFileDialogs = dialogsFor({
  open: 'Import request',
  save: 'Save request',
  files: { name: 'Requests (JSON, YAML)', extensions: ['json', 'yaml', 'yml'] },
})

export const environmentFileDialogs = dialogsFor({
  open: 'Import environments',
  save: 'Export environments',
  files: { name: 'Environments (JSON)', extensions: ['json'] },
})

export const viewsFileDialogs = dialogsFor({
  open: 'Import views',
  save: 'Share views',
  files: { name: 'Views (JSON)', extensions: ['json'] },
})

/** Asks where to save the diagnostics, a zip file. Gives its path, or null when the operator cancels. */
export const askWhereDiagnostics = (
  window: BrowserWindow | null,
  suggestedName: string,
): Promise<string | null> =>
  chooseTarget(window, {
    title: 'Export diagnostics',
    defaultPath: join(app.getPath('downloads'), suggestedName),
    filters: [{ name: 'Zip files', extensions: ['zip'] }],
  })

/** Asks where to save a log. Gives the path, or null when the operator cancels. */
export const askWhereLog =
  (show: ShowDialog) =>
  (suggestedName: string): Promise<string | null> =>
    show((window) =>
      chooseTarget(window, {
        title: 'Save log',
        defaultPath: join(app.getPath('downloads'), suggestedName),
        filters: [{ name: 'Logs', extensions: ['log', 'txt'] }],
      }),
    )

/** Asks where to export a list. Gives the path, or null when the operator cancels. */
export const askWhereExport =
  (show: ShowDialog) =>
  (baseName: string, format: 'csv' | 'json'): Promise<string | null> =>
    show((window) =>
      chooseTarget(window, {
        title: 'Export deployments',
        defaultPath: join(app.getPath('downloads'), `${baseName}.${format}`),
        filters: [{ name: format === 'csv' ? 'CSV files' : 'JSON files', extensions: [format] }],
      }),
    )

/** Shows one of the application's own folders in the file manager. Creates it if it doesn't exist. */
export async function showFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(() => undefined)
  return shell.openPath(folder)
}

/** Shows a file in its folder, in the file manager. */
export const showFile = (path: string): void => shell.showItemInFolder(path)

async function chooseFile(window: BrowserWindow | null, more: OpenDialogOptions): Promise<string | null> {
  const options: OpenDialogOptions = { ...more, properties: ['openFile'] }
  const { canceled, filePaths } = await (window
    ? dialog.showOpenDialog(window, options)
    : dialog.showOpenDialog(options))
  return canceled ? null : (filePaths[0] ?? null)
}

async function chooseTarget(
  window: BrowserWindow | null,
  options: SaveDialogOptions,
): Promise<string | null> {
  const { canceled, filePath } = await (window
    ? dialog.showSaveDialog(window, options)
    : dialog.showSaveDialog(options))
  return canceled || !filePath ? null : filePath
}
