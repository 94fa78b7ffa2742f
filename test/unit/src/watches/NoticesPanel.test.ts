import { mount } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import { nextTick, reactive } from 'vue'
import { useWatchesStore } from '@/features/watches/watches'
import NoticesPanel from '@/features/watches/NoticesPanel.vue'
import { startApp } from '../../../support/page/start-app'

const route = reactive({ path: '/deployments' })
vi.mock('vue-router', () => ({ useRouter: () => ({ push: () => undefined }), useRoute: () => route }))

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
})

it('closes on Escape wherever the focus is, but not in a field, and leaves the focus outside alone', async () => {
  startApp()
  const store = useWatchesStore()
  store.isOpen = true
  document.body.innerHTML = '<input id="field" /><a href="#" id="row">row</a>'
  mount(NoticesPanel, { attachTo: document.body })
  const onScreen = vi.fn()
  window.addEventListener('keydown', onScreen)
  const press = (id: string): void => {
    const element = document.getElementById(id)!
    element.focus()
    element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }))
  }
  press('field')
  expect([store.isOpen, onScreen.mock.calls.length]).toEqual([true, 1])
  press('row')
  expect([store.isOpen, onScreen.mock.calls.length]).toEqual([false, 1])
  expect(document.activeElement?.id).toBe('row')
  window.removeEventListener('keydown', onScreen)
})

it('stays open while an Escape is held down that closed something else', async () => {
  startApp()
  const store = useWatchesStore()
  store.isOpen = true
  mount(NoticesPanel, { attachTo: document.body })
  const press = (repeat: boolean): void => {
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, repeat }))
  }
  press(true)
  expect(store.isOpen).toBe(true)
  press(false)
  expect(store.isOpen).toBe(false)
})
