import { failure, succeed } from '@contract'
import { expect, it, vi } from 'vitest'
import { createComparison } from '../../../../../../electron/main/features/comparison'

const cache = { deployments: 1, gone: 0, synchronisedAt: null, newestAt: null }
const locked = failure('keychain-locked', 'Locked.')

function started(answers: object[]) {
  const ask = vi.fn((_op: string, _input: object, _options: object) => Promise.resolve(answers))
  const calls = createComparison({ ask } as never, { list: vi.fn(), set: vi.fn() })
  return { ask, calls, signal: new AbortController().signal }
}

it('finds deployments in the caches of all environments, and names those that cannot be read', async () => {
  const { ask, calls, signal } = started([
    {
      environmentId: 'a',
      state: 'cached',
      cache,
      value: { deployments: [{ id: '1', name: 'one', status: 'READY' }] },
    },
    { environmentId: 'b', state: 'not-synchronised' },
    { environmentId: 'c', state: 'failed', failure: locked },
  ])
  expect(await calls['comparison.find']({ search: 'one' }, signal)).toEqual(
    succeed({ found: [{ environmentId: 'a', id: '1', name: 'one' }], unread: ['c'] }),
  )
  expect(ask.mock.lastCall).toMatchObject(['page', { request: { query: { search: 'one' } } }, { signal }])
})

it('reads a deployment from one cache only', async () => {
  const input = { environmentId: 'a', id: '1' }
  const read = async (answer: object[]) => {
    const { ask, calls, signal } = started(answer)
    const outcome = await calls['comparison.deployment'](input, signal)
    expect(ask.mock.lastCall).toEqual(['deployment', { id: '1' }, { environmentIds: ['a'], signal }])
    return outcome
  }
  const own = { environmentId: 'a' }
  expect(await read([{ ...own, state: 'cached', cache, value: { json: '{}' } }])).toEqual(
    succeed({ json: '{}' }),
  )
  expect(await read([{ ...own, state: 'failed', failure: locked }])).toMatchObject({ failure: locked })
  for (const answers of [
    [{ ...own, state: 'cached', cache, value: null }],
    [{ ...own, state: 'not-synchronised' }],
    [],
  ]) {
    expect(await read(answers)).toMatchObject({ ok: false, failure: { code: 'not-found' } })
  }
})
