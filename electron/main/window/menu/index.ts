import { app, Menu } from 'electron'
import { type MenuActions, type MenuState, menuTemplate } from './menu-template'

/** The application's menu. */
export interface AppMenu {
  /** Shows the state as it is now. */
  update: () => void
}

/** Sets the application's menu, and again with each update that changes what it shows. */
export function createMenu(state: () => MenuState, actions: MenuActions): AppMenu {
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
  return { update }
}
