import { mount } from '@vue/test-utils'
import { beforeEach, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import { createMemoryHistory, createRouter } from 'vue-router'
import CommandPalette from '@/features/palette/CommandPalette.vue'
import { useCommandsStore } from '@/app/commands'
import { usePaletteStore } from '@/features/palette/palette'
import { startApp } from '../../../support/page/start-app'

const run = vi.fn<(id: string) => void>()
let frames: FrameRequestCallback[]

beforeEach(() => {
  startApp()
  run.mockClear()
  frames = []
  vi.stubGlobal('requestAnimationFrame', (work: FrameRequestCallback) => frames.push(work))
  vi.stubGlobal('cancelAnimationFrame', (id: number) => (frames[id - 1] = () => undefined))
  vi.stubGlobal('requestIdleCallback', (work: () => void) => (work(), 0))
  vi.stubGlobal('cancelIdleCallback', () => undefined)
  const { handle } = useCommandsStore()
  for (const id of ['go-overview', 'go-board', 'go-activity', 'show-about'] as const)
    handle(id, () => run(id))
  usePaletteStore().open()
})

function open() {
  const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/', component: {} }] })
  const palette = mount(CommandPalette, { global: { plugins: [router] } })
  const field = palette.get<HTMLInputElement>('input')
  return {
    field,
    /** What a key does, without a frame after it. */
    type: (text: string) => {
      field.element.value = text
      field.element.dispatchEvent(new InputEvent('input'))
    },
    names: () => palette.findAll('[role=option] .name').map((name) => name.text()),
  }
}

it('has the entries of a text after the next frame, with one search', async () => {
  const { type, names } = open()
  const search = vi.spyOn(usePaletteStore(), 'search')
  const before = names()
  type('a')
  type('act')
  await nextTick()
  expect(names()).toEqual(before)
  for (const frame of frames.splice(0)) frame(0)
  await nextTick()
  expect(names()).toEqual(['Activity'])
  expect(search).toHaveBeenCalledTimes(1)
})

it('has them as soon with keys that come faster than frames', async () => {
  const { type, names } = open()
  type('a')
  type('act')
  frames[0]!(0)
  await nextTick()
  expect(names()).toEqual(['Activity'])
})

it('chooses among the entries of the text, however soon Enter follows it', async () => {
  const { field, type } = open()
  type('act')
  await field.trigger('keydown', { key: 'Enter' })
  await nextTick()
  expect(run).toHaveBeenCalledExactlyOnceWith('go-activity')
})
