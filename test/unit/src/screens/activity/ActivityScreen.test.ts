import { failure, type FailureEntry } from '@contract'
import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { nextTick } from 'vue'
import ActivityScreen from '@/screens/activity/ActivityScreen.vue'
import { useActivityStore } from '@/stores/application/activity'
import { settled } from '../../../../support/page/fake-bridge'
import { startApp } from '../../../../support/page/start-app'

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

it('does not report that nothing happened while the journal cannot be read, and says why it cannot', async () => {
  const bridge = startApp().bridge
  const screen = mount(ActivityScreen, { global: { stubs: { RouterLink: true } } })
  const answer = async (entries: FailureEntry[]): Promise<void> => {
    for (const request of bridge.calls.filter(({ name }) => name === 'journal.list'))
      await request.answer((request.input as { filter?: string }).filter === 'creations' ? [] : entries)
    await settled()
  }
  await answer([])
  expect(screen.text()).toContain('The journal has no entries')
  bridge.emit('app.notices', [{ about: 'journal', text: 'Entries from before are gone.' }])
  await nextTick()
  await answer([])
  expect(screen.text()).toContain('No readable entries')
  // The gap itself is recorded as a failure, and the session may have had others.
  bridge.emit('journal.changed', failed)
  useActivityStore().filter = 'creations'
  await nextTick()
  await answer([failed])
  expect(screen.text()).toContain('No readable creations')
  expect(screen.text()).toContain('Entries from before are gone.')
  // When it no longer matters, it is still unknown what was lost.
  bridge.emit('app.notices', [])
  await nextTick()
  await answer([failed])
  expect(screen.text()).toContain('The journal has no creations')
  screen.unmount()
})
