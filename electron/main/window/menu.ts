import type { WindowCommand } from '@contract'
import { app, Menu, type MenuItemConstructorOptions } from 'electron'

/** Sets the application's menu. `command` is called with what the window should do. */
export function setMenu(command: (command: WindowCommand) => void, openLogFolder: () => void): void {
  const item = (label: string, accelerator: string, name: WindowCommand): MenuItemConstructorOptions => ({
    label,
    accelerator,
    click: () => command(name),
  })

  const template: MenuItemConstructorOptions[] = [
    ...(process.platform === 'darwin' ? [{ role: 'appMenu' as const }] : []),
    { role: 'fileMenu' },
    { role: 'editMenu' },
    {
      label: 'View',
      submenu: [
        item('Refresh', 'CmdOrCtrl+R', 'refresh'),
        { type: 'separator' },
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
        ...(app.isPackaged ? [] : [{ role: 'toggleDevTools' as const }]),
      ],
    },
    {
      label: 'Go',
      submenu: [
        item('Deployments', 'CmdOrCtrl+1', 'go-deployments'),
        item('Repositories', 'CmdOrCtrl+2', 'go-repositories'),
        item('New deployment', 'CmdOrCtrl+3', 'go-new'),
        item('Environments', 'CmdOrCtrl+4', 'go-environments'),
        item('Activity', 'CmdOrCtrl+5', 'go-activity'),
      ],
    },
    { role: 'windowMenu' },
    {
      role: 'help',
      submenu: [
        { label: 'Export diagnostics…', click: () => command('export-diagnostics') },
        { label: 'Open log folder', click: openLogFolder },
        { type: 'separator' },
        { label: `Slipway ${app.getVersion()}`, enabled: false },
      ],
    },
  ]
  Menu.setApplicationMenu(Menu.buildFromTemplate(template))
}
