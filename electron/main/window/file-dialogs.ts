import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { app, dialog, shell } from 'electron'
import { ownerOnly } from '../files'
import type { ShowDialog } from './questions'

/** What the operator chooses a file for: the titles of its dialogs, the files that they show, and the first folder. */
const kinds = {
  request: {
    open: 'Import request',
    save: 'Save request',
    files: { name: 'Requests (JSON, YAML)', extensions: ['json', 'yaml', 'yml'] },
    folder: 'documents',
  },
  environments: {
    open: 'Import environments',
    save: 'Export environments',
    files: { name: 'Environments (JSON)', extensions: ['json'] },
    folder: 'documents',
  },
  views: {
    open: 'Import views',
    save: 'Share views',
    files: { name: 'Views (JSON)', extensions: ['json'] },
    folder: 'documents',
  },
  authority: {
    open: 'CA certificate',
    files: { name: 'Certificates', extensions: ['pem', 'crt', 'cer', 'der', 'p7b', 'p7c'] },
  },
  diagnostics: {
    save: 'Export diagnostics',
    files: { name: 'Zip files', extensions: ['zip'] },
    folder: 'downloads',
  },
  log: { save: 'Save log', files: { name: 'Logs', extensions: ['log', 'txt'] }, folder: 'downloads' },
  csv: {
    save: 'Export deployments',
    files: { name: 'CSV files', extensions: ['csv'] },
    folder: 'downloads',
  },
  json: {
    save: 'Export deployments',
    files: { name: 'JSON files', extensions: ['json'] },
    folder: 'downloads',
  },
} as const satisfies Record<
  string,
  {
    open?: string
    save?: string
    files: { name: string; extensions: readonly string[] }
    folder?: 'documents' | 'downloads'
  }
>

/** Dialogs that choose a file, each over the window. They give a path, or null when the operator cancels. */
export interface FileDialogs {
  askWhich: (kind: 'request' | 'environments' | 'views' | 'authority') => Promise<string | null>
  askWhere: (kind: Exclude<keyof typeof kinds, 'authority'>, suggestedName: string) => Promise<string | null>
}

export function fileDialogsIn(show: ShowDialog): FileDialogs {
  const filtersOf = (kind: keyof typeof kinds) => {
    const { name, extensions } = kinds[kind].files
    return [
      { name, extensions: [...extensions] },
      { name: 'All files', extensions: ['*'] },
    ]
  }
  return {
    askWhich: (kind) =>
      show(async (window) => {
        const options = {
          title: kinds[kind].open,
          filters: filtersOf(kind),
          properties: ['openFile' as const],
        }
        const { canceled, filePaths } = await (window
          ? dialog.showOpenDialog(window, options)
          : dialog.showOpenDialog(options))
        return canceled ? null : (filePaths[0] ?? null)
      }),
    askWhere: (kind, suggestedName) =>
      show(async (window) => {
        const options = {
          title: kinds[kind].save,
          filters: filtersOf(kind),
          defaultPath: join(app.getPath(kinds[kind].folder), suggestedName),
        }
        const { canceled, filePath } = await (window
          ? dialog.showSaveDialog(window, options)
          : dialog.showSaveDialog(options))
        return canceled || !filePath ? null : filePath
      }),
  }
}

/** Shows one of the application's own folders in the file manager, and gives an error message or an empty text. */
export async function showFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: ownerOnly.folder }).catch(() => undefined)
  return shell.openPath(folder)
}

/** Shows a file in its folder, in the file manager. */
export const showFile = (path: string): void => shell.showItemInFolder(path)
