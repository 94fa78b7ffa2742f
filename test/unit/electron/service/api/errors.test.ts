import { Hono } from 'hono'
import { expect, test, vi } from 'vitest'
import { answerThrown } from '../../../../../electron/service/api/errors'
import type { Log } from '../../../../../electron/service/base/log'
import { StorageFailure } from '../../../../../electron/service/base/storage-failure'

test.each([
  ['a failure of the database', new StorageFailure('unavailable', 'away'), 503],
  ['a fault', new Error('no'), 500],
])('%s is one line of the log, whatever is requested', async (_what, error, status) => {
  const problem = vi.fn<Log['problem']>()
  const app = new Hono()
  app.all('*', () => {
    throw error
  })
  app.onError(answerThrown({ problem, note: vi.fn(), request: vi.fn() }))
  const outgoing = { getHeader: () => undefined }
  const answer = await app.request('/nothing%0aPOST%20/v2/deployments%1b[31m\u{1f600}', {}, { outgoing })
  expect(answer.status).toBe(status)
  expect(problem.mock.calls[0]![0]).toContain('GET /nothing%0APOST /v2/deployments%1B[31m%F0%9F%98%80 failed')
  expect(problem.mock.calls[0]![0]).toMatch(/^[ -~]*$/)
})
