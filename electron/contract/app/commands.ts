/**
 * The commands of the window with their usual shortcuts: what the menu, the command palette and the list of shortcuts show.
 * Free of zod, because the first screen loads it.
 */

/**
 * A key with its modifiers, in this order: "Mod+Ctrl+Alt+Shift+K". Mod is the Command key on macOS and Ctrl elsewhere; Ctrl
 * is the Control key of macOS. A letter is a capital; any other character is written as it is typed, so without Shift.
 */
export type Shortcut = string

interface Command {
  label: string
  shortcuts: readonly Shortcut[]
  /** Those of macOS, where they differ. */
  macShortcuts?: readonly Shortcut[]
}

/** In the order in which lists show them. */
export const commands = {
  'open-palette': { label: 'Command palette', shortcuts: ['Mod+K'] },
  find: { label: 'Find on this screen', shortcuts: ['/', 'Mod+F'] },
  refresh: { label: 'Refresh', shortcuts: ['Mod+R'] },
  'new-deployment': { label: 'New deployment', shortcuts: ['Mod+N', 'Mod+3'] },
  'switch-environment': { label: 'Switch environment', shortcuts: ['Mod+E'] },
  // On macOS, Option and an arrow go to the next word of a text.
  back: { label: 'Back', shortcuts: ['Alt+Left'], macShortcuts: ['Mod+['] },
  forward: { label: 'Forward', shortcuts: ['Alt+Right'], macShortcuts: ['Mod+]'] },
  'go-deployments': { label: 'Deployments', shortcuts: ['Mod+1'] },
  'go-repositories': { label: 'Repositories', shortcuts: ['Mod+2'] },
  'go-environments': { label: 'Environments', shortcuts: ['Mod+4'] },
  'go-activity': { label: 'Activity', shortcuts: ['Mod+5'] },
  'show-shortcuts': { label: 'Keyboard shortcuts', shortcuts: ['?'] },
  'export-diagnostics': { label: 'Export diagnostics…', shortcuts: [] },
  'show-about': { label: 'About Slipway', shortcuts: [] },
} as const satisfies Record<string, Command>

export type CommandId = keyof typeof commands

export const commandIds = Object.keys(commands) as CommandId[]

/** The usual shortcuts of a command. */
export function usualShortcuts(id: CommandId, onMac: boolean): readonly Shortcut[] {
  const { shortcuts, macShortcuts }: Command = commands[id]
  return (onMac ? macShortcuts : null) ?? shortcuts
}
