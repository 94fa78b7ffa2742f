import { succeed } from '@contract'
import { expect, it, vi } from 'vitest'
import { forKnownEnvironment } from '../../../../../electron/main/ipc/known-environment'

const { signal } = new AbortController()

it('starts and stores nothing for an environment that no longer exists', async () => {
  const environments = [{ id: 'a' }]
  const known = forKnownEnvironment({ state: () => ({ environments }) as never })
  const handler = vi.fn((_input: { environmentId: string }, _signal: AbortSignal) => succeed(null))
  const answer = known(handler)
  expect(await answer({ environmentId: 'a' }, signal)).toEqual({ ok: true, value: null })
  environments.pop()
  expect(await answer({ environmentId: 'a' }, signal)).toMatchObject({
    ok: false,
    failure: { code: 'not-found' },
  })
  expect(handler.mock.calls).toEqual([[{ environmentId: 'a' }, signal]])
})
