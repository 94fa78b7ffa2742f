import type { Shortcut } from '@contract/app/shortcuts'

const macSigns: Readonly<Record<string, string>> = { Mod: '⌘', Ctrl: '⌃', Alt: '⌥', Shift: '⇧' }
const otherNames: Readonly<Record<string, string>> = { Mod: 'Ctrl' }
const keys: Readonly<Record<string, string>> = {
  Left: '←',
  Right: '→',
  Up: '↑',
  Down: '↓',
  PageUp: 'Page Up',
  PageDown: 'Page Down',
  Escape: 'Esc',
  Plus: '+',
}
const ariaKeys: Readonly<Record<string, string>> = {
  Left: 'ArrowLeft',
  Right: 'ArrowRight',
  Up: 'ArrowUp',
  Down: 'ArrowDown',
}

/** A shortcut as the system writes it: "Ctrl+K", on macOS "⌘K". Two keys are "G then D". */
export function formatShortcut(shortcut: Shortcut, onMac: boolean): string {
  if (isSequence(shortcut)) return shortcut.replace(' ', ' then ')
  const parts = partsOf(shortcut)
  const key = parts.at(-1) ?? ''
  const modifiers = parts.slice(0, -1).map((part) => (onMac ? macSigns[part] : otherNames[part]) ?? part)
  return [...modifiers, keys[key] ?? key].join(onMac ? '' : '+')
}

/**
 * Shortcuts as `aria-keyshortcuts` has them: "Control+K". It can't have two keys that are pressed one after the other.
 */
export function ariaShortcuts(shortcuts: readonly Shortcut[], onMac: boolean): string | undefined {
  const said = shortcuts.filter((shortcut) => !isSequence(shortcut))
  return said.map((shortcut) => ariaShortcut(shortcut, onMac)).join(' ') || undefined
}

function ariaShortcut(shortcut: Shortcut, onMac: boolean): string {
  const names: Readonly<Record<string, string>> = {
    Mod: onMac ? 'Meta' : 'Control',
    Ctrl: 'Control',
    ...ariaKeys,
  }
  return partsOf(shortcut)
    .map((part) => names[part] ?? part)
    .join('+')
}

const isSequence = (shortcut: Shortcut): boolean => shortcut.includes(' ')
const partsOf = (shortcut: Shortcut): string[] => shortcut.split(/\+(?=.)/)
