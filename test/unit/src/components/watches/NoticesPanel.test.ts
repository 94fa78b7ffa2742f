import { mount } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import NoticesPanel from '@/components/watches/NoticesPanel.vue'
import { startApp } from '../../../../support/page/start-app'

vi.mock('vue-router', () => ({ useRouter: () => ({ push: () => undefined }) }))

it('says that nothing is watched only once the watches have been read', async () => {
  const { bridge } = startApp()
  const panel = mount(NoticesPanel)
  const watchesPart = panel.findAll('button').find((button) => button.text() === 'Watches')!
  const unread = { isRead: false, watches: [], notices: [], quiet: null }
  bridge.emit('watches.changed', { ...unread, problem: "Watches and their notices can't be read." })
  await nextTick()
  expect(panel.text()).not.toContain('No notices')
  await watchesPart.trigger('click')
  expect(panel.text()).toContain("Watches and their notices can't be read.")
  expect(panel.text()).not.toContain('Nothing is watched yet')
  bridge.emit('watches.changed', { ...unread, isRead: true, problem: null })
  await nextTick()
  expect(panel.text()).toContain('Nothing is watched yet')
  panel.unmount()
})
