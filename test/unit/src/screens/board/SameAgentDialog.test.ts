import { mount } from '@vue/test-utils'
import { afterEach, expect, it, vi } from 'vitest'
import type { BoardDeployment } from '@contract/ipc/calls/caches'
import TextField from '@/components/form/TextField.vue'
import SameAgentDialog from '@/screens/board/SameAgentDialog.vue'
import { startApp } from '../../../../support/page/start-app'

afterEach(() => void vi.useRealTimers())

it('reads the caches once it opens, and then once for each pause in typing', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { bridge } = startApp()
  const deployment = { name: 'agent' } as BoardDeployment
  const dialog = mount(SameAgentDialog, { props: { show: true, deployment }, attachTo: document.body })
  const searches = () => bridge.callsOf('board.page').map(({ input }) => input.search)
  await vi.advanceTimersByTimeAsync(1)
  expect(searches()).toEqual([''])
  for (const text of ['s', 'su', 'sup']) {
    dialog.getComponent(TextField).vm.$emit('update:modelValue', text)
    await vi.advanceTimersByTimeAsync(50)
  }
  await vi.advanceTimersByTimeAsync(1_000)
  expect(searches()).toEqual(['', 'sup'])
  dialog.unmount()
})
