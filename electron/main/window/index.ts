import { join } from 'node:path'
import { app, BrowserWindow, nativeTheme, type Session, session } from 'electron'
import icon from '../../../resources/window-icon.png?asset'
import { report } from '../log'
import { offerContextMenu } from './context-menu'
import { isUnseen } from './first-list'
import { appUrl } from './page/app-file'
import { serveApp } from './page/app-protocol'
import { oneDialogAtATime, questionsIn } from './questions'
import { bringBack, watchForHanging } from './recovery'
import { readState, rememberState } from './window-state'
import {
  confineEveryPage,
  cutOff,
  denyPermissions,
  fetchNoDictionaries,
  refuseDownloads,
} from './page/security'

/**
 * How long quitting waits for the window, in milliseconds: a page that hangs never closes. Longer than the writes
 * before it take (see `startApplication`).
 */
const timeoutMs = 8_000

/** Opens the application's window and keeps it the only one. Call it once, when the application is ready. */
export function createMainWindow() {
  let window: BrowserWindow | null = null
  let broughtBack = false
  let notifyBroughtBack: ((again: boolean) => void) | null = null
  const noteBroughtBack = (again: boolean): void => {
    broughtBack = again
    notifyBroughtBack?.(again)
  }
  // Without "persist:", the page stores nothing on the disk, and nothing outlives the application.
  const pageSession = session.fromPartition('page')
  const showDialog = oneDialogAtATime(() => window)
  const askAboutHanging = questionsIn(showDialog)

  const open = (): void => {
    const opened = openMainWindow(pageSession)
    window = opened
    offerContextMenu(opened)
    bringBack(opened, showDialog, noteBroughtBack, report)
    watchForHanging(opened, askAboutHanging, report)
    const forget = (): void => {
      if (window === opened) window = null
    }
    opened.once('closed', forget)
    // Its page goes first. From then on, it can't be shown any more: who asks for a window gets another one.
    opened.webContents.once('destroyed', forget)
  }

  confineEveryPage()
  denyPermissions(pageSession)
  cutOff(pageSession, report)
  refuseDownloads(pageSession)
  fetchNoDictionaries(pageSession)
  serveApp(pageSession, join(__dirname, '../renderer'))
  open()

  let quitting = false
  let startsAgain = false
  const show = (): void => {
    if (quitting) return
    if (window === null) open()
    if (window?.isMinimized()) window.restore()
    window?.focus()
  }
  app.on('second-instance', () => {
    if (!quitting) show()
    else if (!startsAgain && !isUnseen()) {
      // This start would otherwise get no window. A display that nobody sees ends with the application.
      startsAgain = true
      app.relaunch()
    }
  })
  app.on('activate', () => {
    if (window === null) open()
  })
  app.once('before-quit', () => {
    quitting = true
    setTimeout(() => window?.destroy(), timeoutMs)
  })
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit()
  })

  return {
    /**
     * Calls `then` with true when the page was or is reloaded after a crash, and with false once it was loaded for
     * another reason.
     */
    onBroughtBack(then: (again: boolean) => void) {
      notifyBroughtBack = then
      then(broughtBack)
    },
    /** Shows the system's dialogs on the window, one at a time. */
    showDialog,
    /** The window; null while it is closed (on macOS the application stays open). */
    current: () => window,
    /** Whether the operator can see the window. */
    isShown: () => window !== null && !window.isDestroyed() && window.isVisible() && !window.isMinimized(),
    /** Brings the window to the front, and opens it if it is closed. */
    show,
    /** Calls `then` once the page is loaded, for work that the page doesn't need. */
    onceLoaded(then: () => void) {
      // It may be loaded already: the handlers of its calls load at the same time.
      if (window?.webContents.isLoading()) window.webContents.once('did-finish-load', then)
      else then()
    },
  }
}

export type MainWindow = ReturnType<typeof createMainWindow>

/** Colours of the empty window. They equal the theme's background, so that nothing flashes. */
const backgroundColours = { light: '#ffffff', dark: '#16181d' }

/** Opens the window on the application's page, in `session`. It shows once there is something to see. */
function openMainWindow(session: Session): BrowserWindow {
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
