/**
 * The window's commands with their default shortcuts, for the menu, the command palette and the list of shortcuts. Free
 * of zod, because the first screen loads it.
 */

/**
 * A key with its modifiers, in this order: "Mod+Ctrl+Alt+Shift+K". Mod is the Command key on macOS and Ctrl elsewhere;
 * Ctrl is the Control key of macOS. A letter is a capital. Any other character is written as it is typed, so the
 * shortcut doesn't name Shift. Two keys without a modifier are pressed one after the other: "G D".
 */
export type Shortcut = string

interface Command {
  label: string
  shortcuts: readonly Shortcut[]
  /** The shortcuts on macOS, if they differ. */
  macShortcuts?: readonly Shortcut[]
  /**
   * Where the command is, if not on every screen: with the list, an open deployment or the form. The menu, which is the
   * same on every screen, leaves it out.
   */
  ofScreen?: 'list' | 'deployment' | 'form'
}

/** In the order of lists. */
export const commands = {
  'open-palette': { label: 'Command palette', shortcuts: ['Mod+K'] },
  find: { label: 'Find on this screen', shortcuts: ['/', 'Mod+F'] },
  refresh: { label: 'Refresh', shortcuts: ['Mod+R'] },
  'new-deployment': { label: 'New deployment', shortcuts: ['Mod+N', 'Mod+3'] },
  compare: { label: 'Compare', shortcuts: ['Mod+D'] },
  'switch-environment': { label: 'Switch environment', shortcuts: ['Mod+E'] },
  // On macOS, Option and an arrow move to the next word in a text.
  back: { label: 'Back', shortcuts: ['Alt+Left'], macShortcuts: ['Mod+['] },
  forward: { label: 'Forward', shortcuts: ['Alt+Right'], macShortcuts: ['Mod+]'] },
  'go-overview': { label: 'Overview', shortcuts: ['Mod+Shift+O', 'G O'] },
  'go-board': { label: 'Board', shortcuts: ['Mod+Shift+B', 'G B'] },
  'go-deployments': { label: 'Deployments', shortcuts: ['Mod+1', 'G D'] },
  'go-repositories': { label: 'Repositories', shortcuts: ['Mod+2', 'G R'] },
  'go-environments': { label: 'Environments', shortcuts: ['Mod+4', 'G E'] },
  'go-activity': { label: 'Activity', shortcuts: ['Mod+5', 'G A'] },
  'show-notices': { label: 'Notices', shortcuts: ['G N'] },
  // For the list, the panel beside it, and a deployment's page.
  'show-not-ready': { label: 'Show not ready', shortcuts: [], ofScreen: 'list' },
  'show-rolling-out': { label: 'Show rolling out', shortcuts: [], ofScreen: 'list' },
  'clear-filters': { label: 'Clear filters', shortcuts: [], ofScreen: 'list' },
  'switch-pane': { label: 'Switch between row and panel', shortcuts: ['F6', 'Shift+F6'], ofScreen: 'list' },
  'save-view': { label: 'Save view…', shortcuts: [], ofScreen: 'list' },
  'manage-views': { label: 'Manage views…', shortcuts: [], ofScreen: 'list' },
  'watch-list': { label: 'Watch this list…', shortcuts: [], ofScreen: 'list' },
  'export-deployments': { label: 'Export deployments…', shortcuts: [], ofScreen: 'list' },
  'copy-name': { label: 'Copy name', shortcuts: [], ofScreen: 'deployment' },
  'copy-id': { label: 'Copy ID', shortcuts: [], ofScreen: 'deployment' },
  'copy-image': { label: 'Copy image', shortcuts: [], ofScreen: 'deployment' },
  'copy-link': { label: 'Copy link', shortcuts: [], ofScreen: 'deployment' },
  'clone-deployment': { label: 'Clone deployment', shortcuts: [], ofScreen: 'deployment' },
  'clone-to': { label: 'Clone to another environment…', shortcuts: [], ofScreen: 'deployment' },
  'edit-note': { label: 'Edit note', shortcuts: [], ofScreen: 'deployment' },
  'toggle-favourite': { label: 'Favourite', shortcuts: [], ofScreen: 'deployment' },
  'watch-deployment': { label: 'Watch', shortcuts: [], ofScreen: 'deployment' },
  'roll-back': { label: 'Roll back…', shortcuts: ['Mod+B'], ofScreen: 'deployment' },
  // For the form. A review comes first.
  'create-deployment': { label: 'Create deployment', shortcuts: ['Mod+Enter'], ofScreen: 'form' },
  'copy-draft': { label: 'Copy or move draft', shortcuts: [], ofScreen: 'form' },
  'show-shortcuts': { label: 'Keyboard shortcuts', shortcuts: ['?'] },
  'export-diagnostics': { label: 'Export diagnostics…', shortcuts: [] },
  'show-about': { label: 'About Slipway', shortcuts: [] },
} as const satisfies Record<string, Command>

export type CommandId = keyof typeof commands

export const commandIds = Object.keys(commands) as CommandId[]

export function defaultShortcuts(id: CommandId, onMac: boolean): readonly Shortcut[] {
  const { shortcuts, macShortcuts }: Command = commands[id]
  return (onMac ? macShortcuts : null) ?? shortcuts
}

/** What the operator changed: shortcuts by command. Read from a file, so it may hold anything. */
export type ShortcutChanges = Readonly<Record<string, readonly Shortcut[]>>

export type Shortcuts = Readonly<Record<CommandId, readonly Shortcut[]>>

/** How many shortcuts a command may have, and how long one may be. */
export const shortcutLimits = { max: 2, longest: 40 } as const

const modifiers = /^(?:Mod\+)?(?:Ctrl\+)?(?:Alt\+)?(?:Shift\+)?/

export const keyOf = (shortcut: Shortcut): string => shortcut.replace(modifiers, '')

/** The first of the two keys that a shortcut consists of; null if it is one key. */
export const firstKeyOf = (shortcut: Shortcut): string | null =>
  /^([!-*,-`{-~]) [!-*,-`{-~]$/.exec(shortcut)?.[1] ?? null

/** Whether two shortcuts can't be told apart: a key that begins one of two keys is no shortcut of its own. */
export const clash = (one: Shortcut, other: Shortcut): boolean =>
  one === other || firstKeyOf(one) === other || firstKeyOf(other) === one

/** Whether a shortcut has no modifier but Shift, so that a text field would take it as text. */
export function isTyped(shortcut: Shortcut): boolean {
  if (firstKeyOf(shortcut) !== null) return true
  return !/^(?:Mod|Ctrl|Alt)\+/.test(shortcut) && (keyOf(shortcut).length === 1 || keyOf(shortcut) === 'Plus')
}

/**
 * The shortcuts in effect once the changes are applied, each for one command. A changed shortcut beats another command's
 * default.
 */
export function shortcutsOf(changes: ShortcutChanges, onMac: boolean): Shortcuts {
  const taken = new Set<Shortcut>()
  const held = new Map<CommandId, readonly Shortcut[]>()
  const isChanged = (id: CommandId): boolean => Object.hasOwn(changes, id)
  for (const id of [...commandIds.filter(isChanged), ...commandIds.filter((id) => !isChanged(id))]) {
    const wanted = isChanged(id) ? (changes[id] ?? []) : defaultShortcuts(id, onMac)
    const own: Shortcut[] = []
    for (const shortcut of wanted) {
      const isFree = ![...taken, ...own].some((one) => clash(one, shortcut))
      if (isFree) own.push(shortcut)
    }
    for (const shortcut of own) taken.add(shortcut)
    held.set(id, own)
  }
  return Object.fromEntries(commandIds.map((id) => [id, held.get(id) ?? []])) as unknown as Shortcuts
}
