import type { BoardRow } from '@contract/ipc/calls/caches'
import { beforeEach, describe, expect, it } from 'vitest'
import { useChoicesStore } from '@/app/stores/choices'
import { useBoardStore } from '@/features/board/board'
import { type FakeBridge, settled } from '../../../support/page/fake-bridge'
import { startApp } from '../../../support/page/start-app'

let bridge: FakeBridge
let store: ReturnType<typeof useBoardStore>

const row = (agent: string): BoardRow => ({
  agent,
  isPinned: false,
  versionsDiffer: false,
  isMissing: false,
  cells: {},
})

/** A page of a board that has these agents. */
function page(snapshot: string, agents: string[], offset = 0) {
  return {
    snapshot,
    total: agents.length,
    isWhole: true,
    columns: [],
    rows: agents.slice(offset).map(row),
    personalFailure: null,
  }
}

const agents = Array.from({ length: 60 }, (_, index) => `agent-${String(index).padStart(3, '0')}`)

beforeEach(async () => {
  bridge = startApp().bridge
  store = useBoardStore()
  store.open()
  await bridge.newest('board.page').answer(page('one', agents))
  store.want([32, 30, 40, 0, 2])
  await settled()
})

it('starts again once it depends on something else than when it was left', () => {
  store.toggle('agent-032', 'east', 'one')
  store.place = { top: 2_000, left: 0, row: 33, column: 1, hasFocus: true }
  store.leave()
  expect(store.selected).toHaveLength(1)
  useChoicesStore().setIn('board', { onlyDiffering: true })
  expect(store.rows.size).toBe(0)
  expect(store.place).toBeNull()
  expect(store.selected).toEqual([])
})

describe('reloading the board', () => {
  it('keeps what is in view until the answer arrives, and says by how many rows it moved', async () => {
    void store.refresh()
    const { input, answer } = bridge.newest('board.page')
    expect(input).toMatchObject({ snapshot: null, offset: 10, isWhole: true })
    expect(store.rows.get(32)?.agent).toBe('agent-032')
    await answer(page('two', ['agent-00a', 'agent-00b', ...agents], 10))
    expect(store.shifted).toEqual({ by: 2 })
    expect(store.rows.get(34)?.agent).toBe('agent-032')
    expect(store.total).toBe(62)
  })

  it('begins with the first rows if what it shows is not known any more', async () => {
    void store.load()
    await bridge.newest('board.page').answer({ ...page('two', agents.slice(0, 25)), total: 60 })
    store.want([32, 30, 40, 0, 2])
    expect(bridge.newest('board.page').input).toMatchObject({ snapshot: 'two', offset: 0, limit: 50 })
    await bridge.newest('board.page').fail({ code: 'environment-changed' })
    expect(store.rows.size).toBe(0)
    expect(bridge.newest('board.page').input).toMatchObject({ snapshot: null, offset: 0 })
  })
})

describe('environments with nothing cached', () => {
  const column = (environmentId: string, state: 'cached' | 'not-synchronised') => ({
    environmentId,
    state,
    cache: null,
    failure: null,
  })
  const requested = () => bridge.callsOf('board.page').map(({ input }) => input.environmentIds)

  it('have the last columns, as far as is known when the board is opened', async () => {
    store.leave()
    useChoicesStore().setIn('board', { onlyDiffering: true })
    const before = requested().length
    store.open()
    const some = [column('a', 'not-synchronised'), column('b', 'cached')]
    await bridge.newest('board.page').answer({ ...page('two', agents), columns: some })
    await bridge.newest('board.page').answer({ ...page('three', agents), columns: some })
    expect(requested().slice(before)).toEqual([
      ['a', 'b'],
      ['b', 'a'],
    ])
    expect(store.environments.map(({ id }) => id)).toEqual(['b', 'a'])

    // No column moves while the board is shown.
    void store.refresh()
    const all = [column('a', 'cached'), column('b', 'cached')]
    await bridge.newest('board.page').answer({ ...page('four', agents), columns: all })
    expect(store.environments.map(({ id }) => id)).toEqual(['b', 'a'])
    store.leave()
    store.open()
    expect(store.environments.map(({ id }) => id)).toEqual(['a', 'b'])
  })
})
