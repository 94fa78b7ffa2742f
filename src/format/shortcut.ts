import type { Shortcut } from '@contract/app/commands'

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

/** A shortcut as the system writes it: "Ctrl+K", on macOS "⌘K". */
export function formatShortcut(shortcut: Shortcut, onMac: boolean): string {
  const parts = partsOf(shortcut)
  const key = parts.at(-1) ?? ''
  const modifiers = parts.slice(0, -1).map((part) => (onMac ? macSigns[part] : otherNames[part]) ?? part)
  return [...modifiers, keys[key] ?? key].join(onMac ? '' : '+')
}

/** A shortcut as `aria-keyshortcuts` has it: "Control+K". */
export function ariaShortcut(shortcut: Shortcut, onMac: boolean): string {
  const names: Readonly<Record<string, string>> = {
    Mod: onMac ? 'Meta' : 'Control',
    Ctrl: 'Control',
    ...ariaKeys,
  }
  return partsOf(shortcut)
    .map((part) => names[part] ?? part)
    .join('+')
}

const partsOf = (shortcut: Shortcut): string[] => shortcut.split(/\+(?=.)/)
