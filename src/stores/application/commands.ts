import { type CommandId, commandIds, type Shortcut, defaultShortcuts } from '@contract/app/commands'
import {
  beginsShortcut as beginsShortcutOf,
  commandOf,
  type Shortcuts,
  shortcutsOf,
  whyNotFor as whyNotForCommand,
} from '@contract/app/shortcuts'
import { defineStore } from 'pinia'
import { computed, onBeforeUnmount, onMounted, shallowReactive } from 'vue'
import { onMac } from '@/composables/platform'
import { formatShortcut } from '@/format/shortcut'
import { useChoicesStore } from './choices'

/** What a command does in the window as it is. */
interface Handler {
  run: () => void
  /** Whether there is anything to do now. */
  isAvailable: () => boolean
}

/** What the commands do, and which shortcuts they have. */
export const useCommandsStore = defineStore('commands', () => {
  const choices = useChoicesStore()
  const handlers = shallowReactive(new Map<CommandId, Handler>())

  const shortcuts = computed<Shortcuts>(() => shortcutsOf(choices.shortcuts, onMac))

  /** Says what a command does from now on; gives a function that takes it back. */
  function handle(id: CommandId, run: () => void, isAvailable: () => boolean = () => true): () => void {
    const handler = { run, isAvailable }
    handlers.set(id, handler)
    return () => {
      if (handlers.get(id) === handler) handlers.delete(id)
    }
  }

  /** The commands that do something in the window as it is now. */
  const available = (): CommandId[] => commandIds.filter((id) => handlers.get(id)?.isAvailable())

  /** Carries a command out; gives whether there was anything to do. */
  function run(id: CommandId): boolean {
    const handler = handlers.get(id)
    if (!handler?.isAvailable()) return false
    handler.run()
    return true
  }

  /** Why a command can't get a shortcut, as a sentence; null where it can. */
  const whyNotFor = (id: CommandId, shortcut: Shortcut): string | null =>
    whyNotForCommand(id, shortcut, shortcuts.value)

  const isChanged = (id: CommandId): boolean => Object.hasOwn(choices.shortcuts, id)

  /** Gives a command other shortcuts, for the next start, too. */
  function change(id: CommandId, own: readonly Shortcut[]): void {
    choices.setShortcuts({ ...choices.shortcuts, [id]: own })
  }

  /** Gives a command its default shortcuts again, or says why not: another command may have one of them by now. */
  function reset(id: CommandId): string | null {
    for (const shortcut of defaultShortcuts(id, onMac)) {
      const refused = whyNotFor(id, shortcut)
      if (refused !== null) return `${formatShortcut(shortcut, onMac)}: ${refused}`
    }
    choices.setShortcuts(Object.fromEntries(Object.entries(choices.shortcuts).filter(([one]) => one !== id)))
    return null
  }

  /** Gives every command its default shortcuts again. */
  const resetAll = (): void => choices.setShortcuts({})

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
    whyNotFor,
    isChanged,
    change,
    reset,
    resetAll,
  }
})

/** Says what a command does while a component is in view. */
export function useCommand(id: CommandId, run: () => void, isAvailable?: () => boolean): void {
  const commands = useCommandsStore()
  let takeBack: (() => void) | null = null
  onMounted(() => {
    takeBack = commands.handle(id, run, isAvailable)
  })
  onBeforeUnmount(() => takeBack?.())
}
