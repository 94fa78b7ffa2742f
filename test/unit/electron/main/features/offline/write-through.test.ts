import { answerLimits, deploymentsPath, fail, failure, type Outcome, succeed } from '@contract'
import { beforeEach, expect, test } from 'vitest'
import type { Cache } from '../../../../../../electron/main/processes/cache-client'
import type {
  ServiceClient,
  ServiceRequest,
} from '../../../../../../electron/main/processes/cache-client/types'
import type { HttpAnswer, HttpTarget } from '../../../../../../electron/main/http/types'
import { writeThrough } from '../../../../../../electron/main/features/offline/write-through'

const target: HttpTarget = { environmentId: 'e', baseUrl: 'https://service.example', headers: {} }
const get: ServiceRequest = {
  operation: { name: 'list-deployments' },
  target,
  method: 'GET',
  path: deploymentsPath,
}

let answer: Outcome<HttpAnswer>
let written: [environmentId: string, op: string, input: unknown, from: string | undefined][]
/** The cache's identity of the service that a request went to. */
let service: string
let client: ServiceClient

const answers = (body: Uint8Array): Outcome<HttpAnswer> => succeed({ status: 200, body, durationMs: 1 })

beforeEach(() => {
  answer = answers(Buffer.from('{"resources":[],"offset":0}'))
  written = []
  service = 'before'
  const cache = {
    serviceOf: () => service,
    askText: (environmentId: string, op: string, input: unknown, from?: string) => {
      written.push([environmentId, op, input, from])
      // A write that never ends.
      return new Promise(() => undefined)
    },
  } as unknown as Cache
  client = writeThrough(
    {
      request: () => {
        service = 'when it answered'
        return Promise.resolve(answer)
      },
      forget: () => Promise.resolve(),
    },
    cache,
  )
})

test.each<[ServiceRequest, string, object]>([
  [get, 'write-page', { run: null }],
  [{ ...get, method: 'POST', operation: { name: 'create-deployment' } }, 'write-deployment', {}],
  [
    { ...get, path: '/other', operation: { name: 'list-repositories', integrationId: 'a/b' } },
    'write-repositories',
    { integrationId: 'a/b' },
  ],
])('writes the bytes of an answer for the operation of its request', async (request, op, more) => {
  expect(await client.request(request)).toBe(answer)
  const body = answer.ok && answer.value.body
  expect(written).toMatchObject([['e', op, { body, ...more }, 'when it answered']])
  // Threads share the body. Another process needs its own bytes.
  expect((written[0]![2] as { body: Uint8Array }).body).not.toBe(body)
})

test("doesn't write failures, the largest answers, or answers to a draft of an environment", async () => {
  await client.request({ ...get, target: { ...target, environmentId: null } })
  answer = answers(new Uint8Array(answerLimits.storedBytes + 1))
  await client.request(get)
  answer = fail(failure('service-error', 'It failed.'))
  await client.request(get)
  expect(written).toEqual([])
  answer = answers(new Uint8Array(answerLimits.storedBytes))
  await client.request(get)
  expect(written).toHaveLength(1)
})
