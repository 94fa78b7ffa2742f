import type { WindowCommand } from '@contract'
import {
  type CommandId,
  commands,
  type Shortcut,
  isTyped,
  type ShortcutChanges,
  shortcutsOf,
} from '@contract/app/shortcuts'
import { shownText } from '@contract/core/text'
import { app, type BrowserWindow, Menu, type MenuItemConstructorOptions } from 'electron'

/** Sets the application's menu, and again with each update that changes what it shows. */
export function createMenu(state: () => MenuState, actions: MenuActions) {
  const place = { onMac: process.platform === 'darwin', forDevelopers: !app.isPackaged }
  let shown: string | null = null

  const update = (): void => {
    const next = state()
    const text = JSON.stringify(next)
    if (text === shown) return
    shown = text
    Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(next, place, actions)))
  }
  update()
  /** `update` shows the state as it is now. */
  return { update }
}

export type AppMenu = ReturnType<typeof createMenu>

type Item = MenuItemConstructorOptions

/** What the menu shows of the application's state. */
export interface MenuState {
  environments: readonly { id: string; name: string }[]
  currentEnvironmentId: string
  /** Whether nothing can be created in the current environment. */
  readOnly: boolean
  shortcuts: ShortcutChanges
}

/** Which system the menu is for, and whether it is for those who work on Slipway. */
export interface MenuPlace {
  onMac: boolean
  forDevelopers: boolean
}

/** What the items of the menu do. */
export interface MenuActions {
  /** Has the window do something. */
  send: (command: WindowCommand) => void
  openLogFolder: () => void
}

/** How many environments the menu lists; the switcher in the window has them all. */
const maxEnvironments = 20

const separator: Item = { type: 'separator' }

/** The application's menu. Its commands only tell the window to do what its own buttons do. */
export function menuTemplate(
  state: MenuState,
  { onMac, forDevelopers }: MenuPlace,
  actions: MenuActions,
): Item[] {
  const shortcuts = shortcutsOf(state.shortcuts, onMac)

  const item = (id: CommandId): Item => {
    const shown = shortcuts[id].find((shortcut) => !isTyped(shortcut))
    return {
      id,
      label: commands[id].label,
      click: () => actions.send({ command: id }),
      // Shown only: the page has the shortcuts, so that they are off in dialogs. (On macOS they reach the menu, too, if
      // the page doesn't use them; it then ignores the command for the same reason.)
      registerAccelerator: false,
      ...(shown === undefined ? {} : { accelerator: acceleratorOf(shown) }),
    }
  }

  const appMenu: Item = {
    label: 'Slipway',
    submenu: [
      item('show-about'),
      separator,
      { role: 'services', label: 'Services' },
      separator,
      { role: 'hide', label: 'Hide Slipway' },
      { role: 'hideOthers', label: 'Hide others' },
      { role: 'unhide', label: 'Show all' },
      separator,
      { role: 'quit', label: 'Quit Slipway' },
    ],
  }

  return [
    ...(onMac ? [appMenu] : []),
    {
      label: 'File',
      submenu: [
        { ...item('new-deployment'), enabled: !state.readOnly },
        separator,
        onMac ? { role: 'close', label: 'Close window' } : { role: 'quit', label: 'Quit' },
      ],
    },
    {
      label: 'Edit',
      submenu: [
        { role: 'undo', label: 'Undo' },
        { role: 'redo', label: 'Redo' },
        separator,
        { role: 'cut', label: 'Cut' },
        { role: 'copy', label: 'Copy' },
        { role: 'paste', label: 'Paste' },
        { role: 'pasteAndMatchStyle', label: 'Paste without formatting' },
        { role: 'delete', label: 'Delete' },
        { role: 'selectAll', label: 'Select all' },
        separator,
        item('find'),
      ],
    },
    {
      label: 'View',
      submenu: [
        item('refresh'),
        item('open-palette'),
        item('compare'),
        item('show-notices'),
        separator,
        { role: 'resetZoom', label: 'Actual size' },
        { role: 'zoomIn', label: 'Zoom in' },
        { role: 'zoomOut', label: 'Zoom out' },
        separator,
        { role: 'togglefullscreen', label: 'Full screen' },
        ...(forDevelopers ? developerItems : []),
      ],
    },
    {
      label: 'Go',
      submenu: [
        item('back'),
        item('forward'),
        separator,
        item('go-overview'),
        item('go-board'),
        item('go-deployments'),
        item('go-repositories'),
        item('go-environments'),
        item('go-activity'),
        separator,
        { id: 'environments', label: 'Switch environment', submenu: environmentItems(state, item, actions) },
      ],
    },
    {
      role: 'window',
      label: 'Window',
      submenu: [
        { role: 'minimize', label: 'Minimise' },
        ...(onMac
          ? [
              { role: 'zoom' as const, label: 'Zoom' },
              separator,
              { role: 'front' as const, label: 'Bring all to front' },
            ]
          : [{ role: 'close' as const, label: 'Close window' }]),
      ],
    },
    {
      role: 'help',
      label: 'Help',
      submenu: [
        item('show-shortcuts'),
        separator,
        item('export-diagnostics'),
        { label: 'Open log folder', click: actions.openLogFolder },
        ...(onMac ? [] : [separator, item('show-about')]),
      ],
    },
  ]
}

const developerItems: Item[] = [
  separator,
  // Not Ctrl+R, which is Refresh.
  { role: 'reload', label: 'Reload window', accelerator: 'CmdOrCtrl+Shift+R' },
  { role: 'toggleDevTools', label: 'Developer tools' },
]

function environmentItems(state: MenuState, item: (id: CommandId) => Item, { send }: MenuActions): Item[] {
  const listed = state.environments.slice(0, maxEnvironments)
  const isMore = state.environments.length > listed.length
  return [
    ...listed.map(({ id, name }): Item => ({
      type: 'radio',
      // A lone "&" would underline the letter after it.
      label: shownText(name, { max: 80 }).replaceAll('&', '&&'),
      checked: id === state.currentEnvironmentId,
      click: () => send({ environmentId: id }),
    })),
    separator,
    { ...item('switch-environment'), label: isMore ? 'All environments' : 'Show in window' },
  ]
}

/** A shortcut as Electron writes it. */
function acceleratorOf(shortcut: Shortcut): string {
  return shortcut.replace(/^Mod\+/, 'CmdOrCtrl+').replace(/(^|\+)Ctrl\+/, '$1Control+')
}

const systemCommands = { 'browser-backward': 'back', 'browser-forward': 'forward' } as const

/**
 * Has every window go back and forward by keyboards and mice whose keys the system turns into commands of an
 * application (Windows and Linux). Those of a mouse may reach the page as well, which takes them once.
 */
export function followAppCommands(
  current: BrowserWindow | null,
  send: (command: WindowCommand) => void,
): void {
  const follow = (window: BrowserWindow): void => {
    window.on('app-command', (_event, name) => {
      const command = systemCommands[name as keyof typeof systemCommands] as 'back' | 'forward' | undefined
      if (command !== undefined) send({ command, bySystem: true })
    })
  }
  if (current) follow(current)
  app.on('browser-window-created', (_event, window) => follow(window))
}
