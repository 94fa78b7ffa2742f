import { join } from 'node:path'
import { app, BrowserWindow, nativeTheme, type Session } from 'electron'
import icon from '../../../resources/window-icon.png?asset'
import { appUrl } from './page/app-origin'
import { readState, rememberState } from './window-state'

/** Colours of the empty window. They equal the theme's background, so that nothing flashes. */
const backgroundColours = { light: '#ffffff', dark: '#16181d' }

/** Opens the window on the application's page, in `session`. It shows once there is something to see. */
export function openMainWindow(session: Session): BrowserWindow {
  const stateFile = join(app.getPath('userData'), 'window.json')
  const { bounds, minimum, maximised } = readState(stateFile)
  const window = new BrowserWindow({
    ...bounds,
    minWidth: minimum.width,
    minHeight: minimum.height,
    show: false,
    title: 'Slipway',
    backgroundColor: nativeTheme.shouldUseDarkColors ? backgroundColours.dark : backgroundColours.light,
    webPreferences: {
      session,
      preload: join(__dirname, '../preload/index.cjs'),
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
      // No message box with the page's text: it would look like a question of Slipway.
      disableDialogs: true,
      // The page doesn't read the clipboard. Older versions of Electron can't forbid it.
      enableDeprecatedPaste: false,
      devTools: !app.isPackaged,
    },
  })
  rememberState(window, stateFile)
  window.once('ready-to-show', () => {
    if (maximised) window.maximize()
    window.show()
    // Elsewhere, the window has the program's icon. Decoding one would delay the first paint, and a large one the first
    // list.
    if (process.platform === 'linux') window.setIcon(icon)
  })
  void window.loadURL(appUrl)
  return window
}
