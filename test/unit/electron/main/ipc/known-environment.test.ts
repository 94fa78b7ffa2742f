import { succeed } from '@contract'
import { expect, it, vi } from 'vitest'
import { forKnownEnvironment } from '../../../../../electron/main/ipc/known-environment'

it('starts and stores nothing for an environment that no longer exists', async () => {
  const environments = [{ id: 'a' }]
  const known = forKnownEnvironment({ state: () => ({ environments }) as never })
  const handler = vi.fn(() => succeed(null))
  const answer = known(handler)
  expect(await answer({ environmentId: 'a' })).toEqual({ ok: true, value: null })
  environments.pop()
  expect(await answer({ environmentId: 'a' })).toMatchObject({ ok: false, failure: { code: 'not-found' } })
  expect(handler).toHaveBeenCalledTimes(1)
})
