import { succeed } from '@contract'
import { expect, it } from 'vitest'
import { createStore } from '../../../../../../electron/main/features/sync/adapters'
import type { Cache } from '../../../../../../electron/main/processes/cache-client'

/** Records what a cache process is asked. It answers "knows-page" when `answerKnown` is called. */
function recordingCache() {
  const ops: string[] = []
  let answerKnown = (_isKnown: boolean): void => undefined
  const ask = (_environmentId: string, op: string): Promise<unknown> => {
    ops.push(op)
    if (op !== 'knows-page') return Promise.resolve(succeed(op === 'write-read-page' ? null : {}))
    return new Promise((resolve) => (answerKnown = (isKnown) => resolve(succeed(isKnown))))
  }
  return {
    ops,
    store: createStore({ ask } as unknown as Cache, { environmentId: 'e', service: 's' }),
    answerKnown: (isKnown: boolean) => answerKnown(isKnown),
  }
}

const page = () => ({ body: Buffer.from('{}'), digest: 'digest', span: { sentAt: 1, receivedAt: 2 } })

it('has a page read ahead unless the cache knows it', async () => {
  const { ops, store, answerKnown } = recordingCache()
  const reading = store.readAhead(page())
  answerKnown(false)
  await reading
  const again = store.readAhead(page())
  answerKnown(true)
  await again
  expect(ops).toEqual(['knows-page', 'read-ahead', 'knows-page'])
})

it('sends the body of a page once if it is written before the cache has said whether it knows it', async () => {
  const { ops, store, answerKnown } = recordingCache()
  const one = page()
  const reading = store.readAhead(one)
  await store.writePage(one, 1)
  answerKnown(false)
  await reading
  expect(ops).toEqual(['knows-page', 'write-read-page', 'write-page'])
})
