import { succeed } from '@contract'
import { expect, it, vi } from 'vitest'
import { forKnownEnvironment } from '../../../../../electron/main/ipc/known-environment'

it('begins and keeps nothing for an environment that there is not any more', async () => {
  const environments = [{ id: 'a' }]
  const known = forKnownEnvironment({ state: () => ({ environments }) as never })
  const handler = vi.fn(() => succeed(null))
  const answer = known(handler)
  expect(await answer({ environmentId: 'a' })).toEqual({ ok: true, value: null })
  environments.pop()
  expect(await answer({ environmentId: 'a' })).toMatchObject({ ok: false, failure: { code: 'not-found' } })
  expect(handler).toHaveBeenCalledTimes(1)
})
