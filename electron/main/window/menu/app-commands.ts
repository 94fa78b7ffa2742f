import type { WindowCommand } from '@contract'
import { app, type BrowserWindow } from 'electron'

const commands = { 'browser-backward': 'back', 'browser-forward': 'forward' } as const

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
      const command = commands[name as keyof typeof commands] as 'back' | 'forward' | undefined
      if (command !== undefined) send({ command, bySystem: true })
    })
  }
  if (current) follow(current)
  app.on('browser-window-created', (_event, window) => follow(window))
}
