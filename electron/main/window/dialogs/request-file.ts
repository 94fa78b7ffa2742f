import { join } from 'node:path'
import { app, dialog } from 'electron'
import type { ShowDialog } from './one-dialog'
import type { RequestFileDialogs } from '../../request-file'

const filters = [
  { name: 'Requests (JSON, YAML)', extensions: ['json', 'yaml', 'yml'] },
  { name: 'All files', extensions: ['*'] },
]

/** The system's dialogs to open and to save a request, before the window that is there. */
export function requestFileDialogs(show: ShowDialog): RequestFileDialogs {
  return {
    async askWhich() {
      const options = { title: 'Import request', properties: ['openFile' as const], filters }
      const chosen = await show((window) =>
        window ? dialog.showOpenDialog(window, options) : dialog.showOpenDialog(options),
      )
      return chosen === null || chosen.canceled ? null : (chosen.filePaths[0] ?? null)
    },
    async askWhere(suggestedName) {
      const options = {
        title: 'Save request',
        defaultPath: join(app.getPath('documents'), suggestedName),
        filters,
      }
      const chosen = await show((window) =>
        window ? dialog.showSaveDialog(window, options) : dialog.showSaveDialog(options),
      )
      return chosen === null || chosen.canceled || !chosen.filePath ? null : chosen.filePath
    },
  }
}
