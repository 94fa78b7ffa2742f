import { failure, type FailureEntry } from '@contract'
import { mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { expect, it } from 'vitest'
import { nextTick } from 'vue'
import ActivityScreen from '@/screens/activity/ActivityScreen.vue'
import { useActivityStore } from '@/stores/activity'
import { appState, installFakeBridge, settled } from '../fake-bridge'
import { useAppStore } from '@/stores/app'

const failed: FailureEntry = {
  kind: 'failure',
  id: 'f1',
  startedAt: '2026-11-21T10:00:00.000Z',
  endedAt: '2026-11-21T10:00:00.000Z',
  environmentId: 'a',
  environmentName: 'Environment a',
  action: 'deployments.list',
  failure: failure('connection-lost', 'Lost.'),
}

it('says that entries cannot be read only where none is there, and else what the filter has not found', async () => {
  setActivePinia(createPinia())
  const bridge = installFakeBridge()
  useAppStore().state = appState('a')
  const screen = mount(ActivityScreen, { global: { stubs: { RouterLink: true } } })
  bridge.emit('app.notices', [{ about: 'journal', text: 'Entries from before are gone.' }])
  await nextTick()
  const answer = async (entries: FailureEntry[]): Promise<void> => {
    for (const asked of bridge.calls.filter(({ name }) => name === 'journal.list'))
      await asked.answer((asked.input as { filter?: string }).filter === 'creations' ? [] : entries)
    await settled()
  }
  await answer([])
  expect(screen.text()).toContain('No entries that can be read')
  bridge.emit('journal.changed', failed)
  useActivityStore().filter = 'creations'
  await nextTick()
  await answer([failed])
  expect(screen.text()).toContain('Nothing has been created from this machine')
  expect(screen.text()).not.toContain('No entries that can be read')
  screen.unmount()
})
