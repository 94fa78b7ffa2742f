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

const requestFilters = [
  { name: 'Requests (JSON, YAML)', extensions: ['json', 'yaml', 'yml'] },
  { name: 'All files', extensions: ['*'] },
]

/** The dialogs that open and save a request. Each gives a path, or null when the user cancels. */
export function requestFileDialogs(show: ShowDialog): {
  askWhich: () => Promise<string | null>
  askWhere: (suggestedName: string) => Promise<string | null>
} {
  return {
    askWhich: () =>
      show((window) => chooseFile(window, { title: 'Import request', filters: requestFilters })),
    askWhere: (suggestedName) =>
      show((window) =>
        chooseTarget(window, {
          title: 'Save request',
          defaultPath: join(app.getPath('documents'), suggestedName),
          filters: requestFilters,
        }),
      ),
  }
}

const environmentFilters = [
  { name: 'Environments (JSON)', extensions: ['json'] },
  { name: 'All files', extensions: ['*'] },
]

/** The dialogs that open and save a file with environments. Each gives a path, or null when the user cancels. */
export function environmentFileDialogs(show: ShowDialog): {
  askWhich: () => Promise<string | null>
  askWhere: (suggestedName: string) => Promise<string | null>
} {
  return {
    askWhich: () =>
      show((window) => chooseFile(window, { title: 'Import environments', filters: environmentFilters })),
    askWhere: (suggestedName) =>
      show((window) =>
        chooseTarget(window, {
          title: 'Export environments',
          defaultPath: join(app.getPath('documents'), suggestedName),
          filters: environmentFilters,
        }),
      ),
  }
}

/** Asks where to save the diagnostics, a zip file. Gives its path, or null when the user cancels. */
export const askWhereDiagnostics = (
  window: BrowserWindow | null,
  suggestedName: string,
): Promise<string | null> =>
  chooseTarget(window, {
    title: 'Export diagnostics',
    defaultPath: join(app.getPath('downloads'), suggestedName),
    filters: [{ name: 'Zip files', extensions: ['zip'] }],
  })

/** Asks where to export a list. Gives the path, or null when the user cancels. */
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
