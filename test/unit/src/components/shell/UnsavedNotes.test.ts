import { mount, RouterLinkStub } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { nextTick } from 'vue'
import UnsavedNotes from '@/components/shell/UnsavedNotes.vue'
import { useNotesStore } from '@/stores/annotations/notes'
import { appState } from '../../../../support/page/fake-bridge'
import { startApp } from '../../../../support/page/start-app'

it('says on every screen which notes are unsaved and why, and leads to those of the environment', async () => {
  const { bridge, app } = startApp()
  const banner = mount(UnsavedNotes, { global: { stubs: { RouterLink: RouterLinkStub } } })
  const notes = useNotesStore()
  const saves = () => bridge.calls.filter(({ name }) => name === 'annotations.save')
  expect(banner.text()).toBe('')

  notes.type('d/1', 'agent', 'Ask Ann.')
  void notes.save()
  await saves()[0]!.fail({ code: 'disk-full', message: 'The disk is full.', advice: 'Free some.' })
  expect(banner.text()).toContain(
    "The note of agent isn't saved yet. The disk is full. Free some. Slipway tries",
  )
  expect(banner.text()).toContain('lost when it is closed')
  expect(banner.getComponent(RouterLinkStub).props('to')).toBe('/deployments/d%2F1')
  expect(banner.getComponent(RouterLinkStub).text()).toBe('Open agent')

  app.state = appState('b')
  await nextTick()
  expect(banner.text()).toContain('The note of agent (a)')
  expect(banner.findComponent(RouterLinkStub).exists()).toBe(false)

  notes.type('2', null, 'Too long.')
  await banner.get('button').trigger('click')
  const issues = [{ path: ['change', 'note'], message: 'Use at most 10,000 characters.' }]
  await saves()[1]!.fail({ code: 'disk-full', message: 'The disk is full.' })
  await saves()[2]!.fail({ code: 'invalid-input', issues })
  expect(banner.text()).toContain("2 notes aren't saved yet: agent (a), 2. The disk is full.")
  expect(banner.text()).toContain('Use at most 10,000 characters.')
  banner.unmount()
})
