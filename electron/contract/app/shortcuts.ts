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

const namedKeys = [
  'Left',
  'Right',
  'Up',
  'Down',
  'Home',
  'End',
  'PageUp',
  'PageDown',
  'Insert',
  'Plus',
] as const
const modifiers = /^(?:Mod\+)?(?:Ctrl\+)?(?:Alt\+)?(?:Shift\+)?/

/** The keys of tables and what they do. No command can have them. */
export const tableKeys: readonly { label: string; keys: readonly Shortcut[] }[] = [
  { label: 'Next row', keys: ['Down', 'J'] },
  { label: 'Previous row', keys: ['Up', 'K'] },
  { label: 'Rows of the next page', keys: ['PageDown'] },
  { label: 'Rows of the previous page', keys: ['PageUp'] },
  { label: 'First row', keys: ['Home'] },
  { label: 'Last row', keys: ['End'] },
]

/** More keys of the deployments' table. No command can have these either. */
export const deploymentRowKeys: typeof tableKeys = [
  { label: 'Show in panel, then open page', keys: ['Enter'] },
  { label: 'Close panel, leave deployment or Compare', keys: ['Escape'] },
  { label: 'Select row', keys: ['Space'] },
  { label: 'Extend selection', keys: ['Shift+Up', 'Shift+Down'] },
  { label: 'Select all rows', keys: ['Mod+A'] },
  { label: 'Menu of row', keys: ['Shift+F10'] },
  { label: 'Favourite', keys: ['F'] },
  { label: 'From search to first row', keys: ['Down', 'Enter'] },
]

/** The keys that the system and text fields use, and what they do. No command can have them. */
const systemKeys: Readonly<Record<Shortcut, string>> = {
  'Mod+A': 'Select all',
  'Mod+C': 'Copy',
  'Mod+V': 'Paste',
  'Mod+Shift+V': 'Paste without formatting',
  'Mod+X': 'Cut',
  'Mod+Z': 'Undo',
  'Mod+Shift+Z': 'Redo',
  'Mod+Y': 'Redo',
  'Mod+0': 'Actual size',
  'Mod+Plus': 'Zoom in',
  'Mod+=': 'Zoom in',
  'Mod+-': 'Zoom out',
  'Mod+W': 'Close window',
  'Mod+M': 'Minimise',
  'Mod+Q': 'Quit',
  'Mod+H': 'Hide',
  'Mod+Shift+I': 'Developer tools',
  'Mod+Shift+R': 'Reload window',
  'Mod+Ctrl+F': 'Full screen',
  'Alt+F4': 'Close window',
  F11: 'Full screen',
}

const keyOf = (shortcut: Shortcut): string => shortcut.replace(modifiers, '')

/** The first of the two keys that a shortcut consists of; null if it is one key. */
const firstKeyOf = (shortcut: Shortcut): string | null =>
  /^([!-*,-`{-~]) [!-*,-`{-~]$/.exec(shortcut)?.[1] ?? null

/** Whether two shortcuts can't be told apart: a key that begins one of two keys is no shortcut of its own. */
const clash = (one: Shortcut, other: Shortcut): boolean =>
  one === other || firstKeyOf(one) === other || firstKeyOf(other) === one

/** Whether a text is a shortcut in the form of `Shortcut`. */
export function isShortcut(text: string): boolean {
  const key = keyOf(text)
  // Alone it presses buttons and ends lines.
  if (key === 'Enter') return /^(?:Mod|Ctrl|Alt)\+/.test(text)
  if (firstKeyOf(text) !== null) return true
  return /^(?:F(?:[1-9]|1\d|2[0-4])|[!-*,-`{-~])$/.test(key) || (namedKeys as readonly string[]).includes(key)
}

/** Whether a shortcut has no modifier but Shift, so that a text field would take it as text. */
export function isTyped(shortcut: Shortcut): boolean {
  if (firstKeyOf(shortcut) !== null) return true
  return !/^(?:Mod|Ctrl|Alt)\+/.test(shortcut) && (keyOf(shortcut).length === 1 || keyOf(shortcut) === 'Plus')
}

/** Why no command can have a shortcut, as a sentence; null if one can. */
export function whyNoShortcut(shortcut: Shortcut): string | null {
  const first = firstKeyOf(shortcut)
  const key = first ?? shortcut
  const ofRows = [...tableKeys, ...deploymentRowKeys].find(({ keys }) => keys.includes(key))
  const taken = systemKeys[key] ?? ofRows?.label
  if (taken !== undefined) {
    return `${first === null ? 'It' : 'Its first key'} already means "${taken}" and can't be changed.`
  }
  const isNamed = (namedKeys as readonly string[]).includes(keyOf(shortcut)) && keyOf(shortcut) !== 'Plus'
  if (!isShortcut(shortcut) || (isNamed && !/^(?:Mod|Ctrl|Alt)\+/.test(shortcut))) {
    return 'That key moves around in lists and text. Add Ctrl or Alt to it, or press another one.'
  }
  return null
}

/**
 * The shortcuts in effect once the changes are applied, each for one command. Leaves out unknown commands, and texts
 * that aren't shortcuts or can't be one. A changed shortcut beats another command's default.
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
      if (isFree && own.length < shortcutLimits.max && whyNoShortcut(shortcut) === null) own.push(shortcut)
    }
    for (const shortcut of own) taken.add(shortcut)
    held.set(id, own)
  }
  return Object.fromEntries(commandIds.map((id) => [id, held.get(id) ?? []])) as unknown as Shortcuts
}

/** The command that has a shortcut; null if none has. */
export function commandOf(shortcut: Shortcut, shortcuts: Shortcuts): CommandId | null {
  return commandIds.find((id) => shortcuts[id].includes(shortcut)) ?? null
}

/** Whether a key begins a shortcut of two keys. */
export function beginsShortcut(key: Shortcut, shortcuts: Shortcuts): boolean {
  return commandIds.some((id) => shortcuts[id].some((shortcut) => firstKeyOf(shortcut) === key))
}

/** Why a command can't get a shortcut, as a sentence; null if it can. */
export function whyNotFor(id: CommandId, shortcut: Shortcut, shortcuts: Shortcuts): string | null {
  const never = whyNoShortcut(shortcut)
  if (never !== null) return never
  for (const other of commandIds) {
    const held = shortcuts[other].find((one) => clash(one, shortcut))
    if (other === id || held === undefined) continue
    const how =
      held === shortcut
        ? 'It already belongs to'
        : firstKeyOf(held) === shortcut
          ? 'It begins a shortcut of'
          : 'Its first key already belongs to'
    return `${how} "${commands[other].label}". Change that one first.`
  }
  return null
}
