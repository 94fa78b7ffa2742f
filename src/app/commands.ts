import {
  type CommandId,
  commandIds,
  type Shortcut,
  defaultShortcuts,
  shortcutsOf,
} from '@contract/app/shortcuts'
import { useEventListener } from '@vueuse/core'
import { defineStore } from 'pinia'
import { computed, onBeforeUnmount, onMounted, shallowReactive } from 'vue'
import { onMac, isDialogOpen, takesKeys } from './window'
import { isShortcut, whyNotFor } from './shortcuts'
import { useChoicesStore } from '@/app/stores/choices'

/**
 * The key of a keyboard event. On a keyboard with another alphabet, such as Cyrillic, it is the Latin letter at the
 * same position, in lower case: shortcuts and keys of rows are named by those. With Alt, a key may write a sign
 * instead.
 */
export function latinKey({ key, code, altKey }: Pick<KeyboardEvent, 'key' | 'code' | 'altKey'>): string {
  const letter = /^Key([A-Z])$/.exec(code)?.[1]
  const isOther = /^\p{L}+$/u.test(key) && !/\p{Script=Latin}/u.test(key)
  return letter !== undefined && isOther && !altKey ? letter.toLowerCase() : key
}

/** The members of a keyboard event that decide its shortcut. */
type Key = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>

/** The shortcut of a keyboard event; null for a modifier alone, and for keys that no shortcut has. */
export function pressedShortcut(event: Key, mac = onMac): Shortcut | null {
  // The Windows key belongs to the system.
  if (event.metaKey && !mac) return null
  const key = keyOf(event)
  const isModified = event.ctrlKey || event.metaKey || event.altKey
  // Other characters include Shift already, such as "?" on most keyboards.
  const hasShift =
    event.shiftKey && (key.length > 1 || /^[A-Z]$/.test(key) || (isModified && /^\d$/.test(key)))
  const shortcut = [
    (mac ? event.metaKey : event.ctrlKey) ? 'Mod' : null,
    mac && event.ctrlKey ? 'Ctrl' : null,
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
  if (key === '+') return 'Plus'
  return key.length === 1 ? key.toUpperCase() : key.replace('Arrow', '')
}

const macSigns = { Mod: '⌘', Ctrl: '⌃', Alt: '⌥', Shift: '⇧' }
const arrows: Readonly<Record<string, string>> = { Left: '←', Right: '→', Up: '↑', Down: '↓' }
const signs = {
  ...arrows,
  PageUp: 'Page Up',
  PageDown: 'Page Down',
  Escape: 'Esc',
  Plus: '+',
}

/** A shortcut as the system writes it: "Ctrl+K", on macOS "⌘K". Two keys are "G then D". */
export function formatShortcut(shortcut: Shortcut, mac = onMac): string {
  if (isSequence(shortcut)) return shortcut.replace(' ', ' then ')
  const own: Readonly<Record<string, string>> = { ...signs, ...(mac ? macSigns : { Mod: 'Ctrl' }) }
  const parts = partsOf(shortcut).map((part) => own[part] ?? part)
  return parts.join(mac ? '' : '+')
}

/**
 * Shortcuts as `aria-keyshortcuts` has them: "Control+K". It can't have two keys that are pressed one after the other.
 */
export function ariaShortcuts(shortcuts: readonly Shortcut[], mac = onMac): string | undefined {
  const nameOf = (part: string): string => {
    if (part === 'Mod') return mac ? 'Meta' : 'Control'
    return part === 'Ctrl' ? 'Control' : part in arrows ? `Arrow${part}` : part
  }
  const said = shortcuts.filter((shortcut) => !isSequence(shortcut))
  return said.map((shortcut) => partsOf(shortcut).map(nameOf).join('+')).join(' ') || undefined
}

const isSequence = (shortcut: Shortcut): boolean => shortcut.includes(' ')
const partsOf = (shortcut: Shortcut): string[] => shortcut.split(/\+(?=.)/)

/** What a command does in the window's current state. */
interface Handler {
  run: () => void
  /** Whether the command can do anything now. */
  isAvailable: () => boolean
}

/** What the commands do, and which shortcuts they have. */
export const useCommandsStore = defineStore('commands', () => {
  const choices = useChoicesStore()
  const handlers = shallowReactive(new Map<CommandId, Handler>())

  const shortcuts = computed(() => shortcutsOf(choices.shortcuts, onMac))

  /** Registers what a command does; gives a function that unregisters it. */
  function handle(id: CommandId, run: () => void, isAvailable: () => boolean = () => true): () => void {
    const handler = { run, isAvailable }
    handlers.set(id, handler)
    return () => {
      if (handlers.get(id) === handler) handlers.delete(id)
    }
  }

  /** The commands that can do something now. */
  const available = (): CommandId[] => commandIds.filter((id) => handlers.get(id)?.isAvailable())

  /** Runs a command; gives whether there was anything to do. */
  function run(id: CommandId): boolean {
    const handler = handlers.get(id)
    if (!handler?.isAvailable()) return false
    handler.run()
    return true
  }

  /** The title of a command's button: its label, with the command's first shortcut if it has one. */
  function titleOf(id: CommandId, label: string): string {
    const [shortcut] = shortcuts.value[id]
    return shortcut === undefined ? label : `${label} (${formatShortcut(shortcut)})`
  }

  const isChanged = (id: CommandId): boolean => Object.hasOwn(choices.shortcuts, id)

  /** Changes a command's shortcuts, also for the next start. */
  function change(id: CommandId, own: readonly Shortcut[]): void {
    choices.set({ shortcuts: { ...choices.shortcuts, [id]: [...own] } })
  }

  /** Resets a command's shortcuts to the defaults, or says why not: another command may have one of them by now. */
  function reset(id: CommandId): string | null {
    for (const shortcut of defaultShortcuts(id, onMac)) {
      const refused = whyNotFor(id, shortcut, shortcuts.value)
      if (refused !== null) return `${formatShortcut(shortcut)}: ${refused}`
    }
    choices.set({
      shortcuts: Object.fromEntries(Object.entries(choices.shortcuts).filter(([one]) => one !== id)),
    })
    return null
  }

  /** Resets the shortcuts of every command. */
  const resetAll = (): void => choices.set({ shortcuts: {} })

  return { shortcuts, handle, available, run, titleOf, isChanged, change, reset, resetAll }
})

/** Registers what a command does as long as a component is mounted. */
export function useCommand(id: CommandId, run: () => void, isAvailable?: () => boolean): void {
  const commands = useCommandsStore()
  let takeBack: (() => void) | null = null
  onMounted(() => {
    takeBack = commands.handle(id, run, isAvailable)
  })
  onBeforeUnmount(() => takeBack?.())
}

/**
 * Makes Escape go back to the previous screen, on a screen that is opened from others. Anything open over the screen
 * gets the key first, and so does a field, so that Escape never abandons input.
 */
export function useEscape(): void {
  const commands = useCommandsStore()
  let hadDialog = false

  // Runs before anything else gets the key: a dialog that it closes would no longer be open afterwards.
  useEventListener('keydown', () => (hadDialog = isDialogOpen()), { capture: true })
  useEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing || event.repeat) return
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return
    if (hadDialog || takesKeys(event.target)) return
    if (commands.run('back')) event.preventDefault()
  })
}
