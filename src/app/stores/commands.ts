import {
  beginsShortcut as beginsShortcutOf,
  type CommandId,
  commandIds,
  commandOf,
  defaultShortcuts,
  type Shortcut,
  type Shortcuts,
  shortcutsOf,
  whyNotFor as whyNotForCommand,
} from '@contract/app/shortcuts'
import { defineStore } from 'pinia'
import { computed, onBeforeUnmount, onMounted, shallowReactive } from 'vue'
import { onMac, useWindowEvent } from '../window'
import { formatShortcut } from '../commands'
import { useChoicesStore } from './choices'
import { isDialogOpen, takesKeys } from '../focus'
import { useAppStore } from './app'

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

  const shortcuts = computed<Shortcuts>(() => shortcutsOf(choices.shortcuts, onMac))

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
    return shortcut === undefined ? label : `${label} (${formatShortcut(shortcut, onMac)})`
  }

  /** Why a command can't get a shortcut, as a sentence; null where it can. */
  const whyNotFor = (id: CommandId, shortcut: Shortcut): string | null =>
    whyNotForCommand(id, shortcut, shortcuts.value)

  const isChanged = (id: CommandId): boolean => Object.hasOwn(choices.shortcuts, id)

  /** Changes a command's shortcuts, also for the next start. */
  function change(id: CommandId, own: readonly Shortcut[]): void {
    choices.set({ shortcuts: { ...choices.shortcuts, [id]: [...own] } })
  }

  /** Resets a command's shortcuts to the defaults, or says why not: another command may have one of them by now. */
  function reset(id: CommandId): string | null {
    for (const shortcut of defaultShortcuts(id, onMac)) {
      const refused = whyNotFor(id, shortcut)
      if (refused !== null) return `${formatShortcut(shortcut, onMac)}: ${refused}`
    }
    choices.set({
      shortcuts: Object.fromEntries(Object.entries(choices.shortcuts).filter(([one]) => one !== id)),
    })
    return null
  }

  /** Resets the shortcuts of every command. */
  const resetAll = (): void => choices.set({ shortcuts: {} })

  /** The command of a shortcut; null where none has it. */
  const byShortcut = (shortcut: string): CommandId | null => commandOf(shortcut, shortcuts.value)

  /** Whether a key begins a shortcut of two keys. */
  const beginsShortcut = (key: Shortcut): boolean => beginsShortcutOf(key, shortcuts.value)

  return {
    shortcuts,
    handle,
    available,
    run,
    byShortcut,
    beginsShortcut,
    titleOf,
    whyNotFor,
    isChanged,
    change,
    reset,
    resetAll,
  }
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

  /** Runs before anything else gets the key: a dialog that it closes would no longer be open afterwards. */
  function onCapture(): void {
    hadDialog = isDialogOpen()
  }

  function onKeydown(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing || event.repeat) return
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return
    if (hadDialog || takesKeys(event.target)) return
    if (commands.run('back')) event.preventDefault()
  }

  useWindowEvent('keydown', onCapture, { capture: true })
  useWindowEvent('keydown', onKeydown)
}

/** Connects the menu's "Refresh" to a screen while it is in view. */
export function useRefresh(refresh: () => void): void {
  const app = useAppStore()
  onMounted(() => {
    app.refresh = refresh
  })
  onBeforeUnmount(() => {
    if (app.refresh === refresh) app.refresh = null
  })
}
