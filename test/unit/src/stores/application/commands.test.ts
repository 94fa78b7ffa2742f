import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, it, vi } from 'vitest'
import { computed, ref } from 'vue'
import { useChoicesStore } from '@/stores/application/choices'
import { useCommandsStore } from '@/stores/application/commands'
import { type FakeBridge, installFakeBridge } from '../../../../support/page/fake-bridge'

let bridge: FakeBridge
let commands: ReturnType<typeof useCommandsStore>

beforeEach(async () => {
  bridge = installFakeBridge()
  setActivePinia(createPinia())
  commands = useCommandsStore()
  const starting = useChoicesStore().start()
  await bridge.calls[0]?.answer({ refreshSeconds: 15, shortcuts: {}, lists: {} })
  await starting
})
const saved = () => bridge.calls.filter(({ name }) => name === 'choices.save').at(-1)?.input.shortcuts

it('runs the handler that was registered last', () => {
  const [first, second] = [vi.fn(), vi.fn()]
  expect(commands.run('refresh')).toBe(false)
  const takeFirstBack = commands.handle('refresh', first)
  commands.handle('refresh', second)
  // The previous screen is unmounted only after the next one is mounted.
  takeFirstBack()
  expect(commands.run('refresh')).toBe(true)
  expect([first.mock.calls.length, second.mock.calls.length]).toEqual([0, 1])

  let isAvailable = false
  commands.handle('find', first, () => isAvailable)
  expect([commands.run('find'), commands.available()]).toEqual([false, ['refresh']])
  isAvailable = true
  expect([commands.run('find'), commands.available()]).toEqual([true, ['find', 'refresh']])
})

it('says which commands become available while a list of them is open', () => {
  const listed = computed(() => commands.available())
  expect(listed.value).toEqual([])
  const isLoaded = ref(false)
  commands.handle('copy-draft', vi.fn(), () => isLoaded.value)
  expect(listed.value).toEqual([])
  isLoaded.value = true
  expect(listed.value).toEqual(['copy-draft'])
})

it('keeps changed shortcuts for the next start, and resets them', () => {
  commands.change('refresh', ['F5'])
  expect(saved()).toEqual({ refresh: ['F5'] })
  expect([commands.byShortcut('F5'), commands.byShortcut('Mod+R')]).toEqual(['refresh', null])
  expect([commands.isChanged('refresh'), commands.isChanged('find')]).toEqual([true, false])
  expect(commands.whyNotFor('find', 'F5')).toContain('"Refresh"')
  expect(commands.reset('refresh')).toBeNull()
  expect(saved()).toEqual({})
  expect(commands.byShortcut('Mod+R')).toBe('refresh')
})

it("names a command's first shortcut beside its label", () => {
  expect(commands.titleOf('new-deployment', 'New')).toBe('New (Ctrl+N)')
  expect(commands.titleOf('copy-id', 'Copy ID')).toBe('Copy ID')
  commands.change('refresh', ['F5'])
  expect(commands.titleOf('refresh', 'Refresh')).toBe('Refresh (F5)')
})

it('refuses to reset a shortcut that another command now has', () => {
  commands.change('refresh', ['F5'])
  commands.change('find', ['Mod+R'])
  expect(commands.reset('refresh')).toBe(
    'Ctrl+R: It already belongs to "Find on this screen". Change that one first.',
  )
  expect(commands.byShortcut('F5')).toBe('refresh')
  commands.resetAll()
  expect([commands.byShortcut('Mod+R'), commands.byShortcut('/')]).toEqual(['refresh', 'find'])
})
