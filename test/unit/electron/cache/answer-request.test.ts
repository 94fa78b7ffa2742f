import { expect, it } from 'vitest'
import { createAnswerRequest } from '../../../../electron/cache/answer-request'

const key = 'ab'.repeat(32)
const answerRequest = createAnswerRequest(() => {
  throw new Error('nothing is read ahead')
})

it('answers requests by their number', async () => {
  const open = { op: 'open', environmentId: 'e', file: null, key, service: 's', setAside: false }
  expect(await answerRequest({ id: 7, request: open })).toMatchObject({ id: 7, ok: true })
  const state = await answerRequest({ id: 8, request: { op: 'state', environmentId: 'e' } })
  expect(state).toMatchObject({ id: 8, ok: true })
  await answerRequest({ id: 9, request: { op: 'close', environmentId: 'e' } })
})

it.each([
  [{ id: 4, request: { op: 'drop' } }, 4],
  [{ request: null }, 0],
  ['open', 0],
])('refuses %j', async (message, id) => {
  expect(await answerRequest(message)).toMatchObject({ id, ok: false, code: 'invalid-request' })
})
