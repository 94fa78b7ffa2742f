import { type Shortcut, isShortcut } from '@contract/app/shortcuts'
import { latinKey } from './latin-key'

/** Keys whose name on a keyboard event differs from the one in a shortcut. */
const names: Readonly<Record<string, string>> = {
  ArrowLeft: 'Left',
  ArrowRight: 'Right',
  ArrowUp: 'Up',
  ArrowDown: 'Down',
  '+': 'Plus',
}

/** The members of a keyboard event that decide its shortcut. */
type Key = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>

/** The shortcut of a keyboard event; null for a modifier alone, and for keys that no shortcut has. */
export function pressedShortcut(event: Key, onMac: boolean): Shortcut | null {
  // The Windows key belongs to the system.
  if (event.metaKey && !onMac) return null
  const key = keyOf(event)
  const isModified = event.ctrlKey || event.metaKey || event.altKey
  // Other characters include Shift already, such as "?" on most keyboards.
  const hasShift =
    event.shiftKey && (key.length > 1 || /^[A-Z]$/.test(key) || (isModified && /^\d$/.test(key)))
  const shortcut = [
    (onMac ? event.metaKey : event.ctrlKey) ? 'Mod' : null,
    onMac && event.ctrlKey ? 'Ctrl' : null,
    event.altKey ? 'Alt' : null,
    hasShift && key !== 'Plus' ? 'Shift' : null,
    key,
  ]
    .filter((part) => part !== null)
    .join('+')
  return isShortcut(shortcut) ? shortcut : null
}

function keyOf(event: Key): string {
  const key = latinKey(event)
  const letter = /^Key([A-Z])$/.exec(event.code)?.[1]
  // With Ctrl, no key writes a letter that only this keyboard has.
  if (letter !== undefined && (event.ctrlKey || event.metaKey) && !/^[a-z]$/i.test(key)) return letter
  return names[key] ?? (key.length === 1 ? key.toUpperCase() : key)
}
