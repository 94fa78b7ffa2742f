import type { CacheRequest, CacheState } from '@contract/cache'
import { expect, test } from 'vitest'
import { createRequestHandler } from '../../../../electron/cache/request-handler'
import { pageBody, several } from '../../../support/builders/cached-deployments'

test('the end of a synchronisation is noted only in the cache that has its pages', async () => {
  const environmentId = 'e'
  const { answer } = createRequestHandler()
  const ask = async (request: CacheRequest): Promise<unknown> => {
    const reply = await answer(request)
    if (!reply.ok) throw new Error(reply.message)
    return JSON.parse(reply.text)
  }
  const span = { sentAt: 1_000, receivedAt: 2_000 }
  const open = () => ask({ op: 'open', environmentId, file: null, key: '', service: 's' })
  const write = (run: number) =>
    ask({ op: 'write-page', environmentId, body: pageBody(several(3)), span, run })
  const end = (run: number, complete: boolean) =>
    ask({ op: 'synchronised', environmentId, run, span, complete })
  const synchronisedAt = async () =>
    ((await ask({ op: 'state', environmentId })) as CacheState).synchronisedAt

  await open()
  await write(1)
  // Another cache has replaced it.
  await open()
  expect(await end(1, true)).toEqual({ noted: false })
  await write(2)
  expect(await end(1, true)).toEqual({ noted: false })
  // What may be missing isn't called synchronised.
  expect(await end(2, false)).toEqual({ noted: true })
  expect(await synchronisedAt()).toBeNull()
  expect(await end(2, true)).toEqual({ noted: true })
  expect(await synchronisedAt()).toBe('1970-01-01T00:00:02.000Z')
})
