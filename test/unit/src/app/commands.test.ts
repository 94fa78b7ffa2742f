import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, it, vi } from 'vitest'
import { computed, ref } from 'vue'
import { useChoicesStore } from '@/app/stores/choices'
import { useCommandsStore } from '@/app/commands'
import { type FakeBridge, installFakeBridge } from '../../../support/page/fake-bridge'

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

it('says which commands become available while a list of them is open', () => {
  const listed = computed(() => commands.available())
  expect(listed.value).toEqual([])
  const isLoaded = ref(false)
  commands.handle('copy-draft', vi.fn(), () => isLoaded.value)
  expect(listed.value).toEqual([])
  isLoaded.value = true
  expect(listed.value).toEqual(['copy-draft'])
})
