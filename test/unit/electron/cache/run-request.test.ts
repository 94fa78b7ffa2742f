import { cacheNotes, cacheReplies, type CacheRequest } from '@contract/cache'
import { expect, test } from 'vitest'
import { createRequestHandler } from '../../../../electron/cache/request-handler'

test('the end of a synchronisation is noted only in the cache that has it', async () => {
  const environmentId = 'e'
  const { answer } = createRequestHandler(() => Promise.resolve())
  const ask = async (request: CacheRequest): Promise<unknown> => {
    const reply = await answer(request)
    if (!reply.ok) throw new Error(reply.message)
    return JSON.parse(reply.text)
  }
  const end = (run: number) =>
    ask({
      op: 'synchronised',
      environmentId,
      run,
      span: { sentAt: 1_000, receivedAt: 2_000 },
      complete: true,
      servedAt: null,
    })
  const note = (run: number, done: boolean) =>
    ask({
      op: 'write-note',
      environmentId,
      key: cacheNotes.run,
      value: JSON.stringify({ run, done, pass: 1, newestCreated: null, state: null }),
    })
  const synchronisedAt = async () =>
    cacheReplies.state.parse(await ask({ op: 'state', environmentId })).synchronisedAt

  await ask({ op: 'open', environmentId, file: null, key: '', service: 's' })
  expect(await end(1)).toEqual({ noted: false })
  // Another run, and a state of this one from before it ended.
  await note(1, true)
  expect(await end(2)).toEqual({ noted: false })
  await note(2, false)
  expect(await end(2)).toEqual({ noted: false })
  expect(await synchronisedAt()).toBeNull()
  await note(2, true)
  expect(await end(2)).toEqual({ noted: true })
  expect(await synchronisedAt()).toBe('1970-01-01T00:00:02.000Z')
})
