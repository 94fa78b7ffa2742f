import {
  clash,
  type CommandId,
  commandIds,
  commands,
  firstKeyOf,
  keyOf,
  type Shortcut,
  type Shortcuts,
} from '@contract/app/shortcuts'

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

/** Whether a text is a shortcut in the form of `Shortcut`. */
export function isShortcut(text: string): boolean {
  const key = keyOf(text)
  // Alone it presses buttons and ends lines.
  if (key === 'Enter') return /^(?:Mod|Ctrl|Alt)\+/.test(text)
  if (firstKeyOf(text) !== null) return true
  return /^(?:F(?:[1-9]|1\d|2[0-4])|[!-*,-`{-~])$/.test(key) || (namedKeys as readonly string[]).includes(key)
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
