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
