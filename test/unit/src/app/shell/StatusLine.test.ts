import { mount } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import { call, running } from '@/app/api'
import StatusLine from '@/app/shell/StatusLine.vue'
import { startApp } from '../../../../support/page/start-app'

it('cancels the call that it names, and leaves the others alone', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { bridge } = startApp()
  // Calls of other tests got no answer.
  running.value = []
  const line = mount(StatusLine)
  const checking = call('repositories.list', { environmentId: 'a', integrationId: 'i' })
  void call('deployments.get', { environmentId: 'a', id: 'd' })
  await nextTick()
  await vi.advanceTimersByTimeAsync(300)
  expect(line.text()).toContain('Loading repositories and 1 more…')
  await line.get('button').trigger('click')
  await checking
  await nextTick()
  expect(bridge.newest('repositories.list').cancelled).toBe(true)
  expect(bridge.newest('deployments.get').cancelled).toBe(false)
  expect(line.text()).toContain('Loading the deployment…')
})
