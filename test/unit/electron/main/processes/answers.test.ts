import { Worker } from 'node:worker_threads'
import { failure, type Outcome } from '@contract'
import { afterEach, describe, expect, it } from 'vitest'
import { createBodyReader, readAnswer, readHereBytes } from '../../../../../electron/main/processes/answers'
import { jsonBody } from '../../../../support/builders/answer-bodies'

const answer = (body: Uint8Array) => ({ status: 200, body })
const unlike = (reason: string) => failure('unreadable-answer', `Unlike: ${reason}`)
const large = jsonBody({ resources: [], offset: 0, more: 'x'.repeat(readHereBytes) })

const threads: Worker[] = []
const start = (program: string) => (): Worker => {
  const thread = new Worker(program, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 32 } })
  threads.push(thread)
  return thread
}

afterEach(async () => {
  for (const thread of threads.splice(0)) await thread.terminate()
})

const message = (outcome: Outcome<unknown>): string => (outcome.ok ? '' : outcome.failure.message)

describe('reading an answer', () => {
  it('returns the result of the job', async () => {
    const body = jsonBody({ resources: [{ id: 'a', name: 'agent' }, {}], offset: 2 })
    const read = await readAnswer(answer(body), { kind: 'page', limit: 2 }, unlike)
    expect(read).toMatchObject({
      ok: true,
      value: { deployments: [{ id: 'a' }], unreadable: [{ index: 1 }] },
    })
  })

  it.each([
    ['half', '{"resources": [', 'something that is not JSON, or with half of it'],
    ['too deep', '['.repeat(100_000), 'JSON that is nested too deeply to be read'],
  ])('reports that a body is %s', async (_what, text, words) => {
    const read = await readAnswer(answer(new TextEncoder().encode(text)), { kind: 'detail' }, unlike)
    expect(message(read)).toBe(`The service answered 200 with ${words}.`)
    expect(read).toMatchObject({ failure: { code: 'unreadable-answer', sent: 'answered', status: 200 } })
  })

  it("says what doesn't follow the interface", async () => {
    const read = await readAnswer(answer(jsonBody({ resources: 3 })), { kind: 'page', limit: 1 }, unlike)
    expect(message(read)).toMatch(/^Unlike: resources: /)
  })
})

describe('a large answer', () => {
  const echo = `const { parentPort } = require('node:worker_threads')
    let count = 0
    parentPort.on('message', ({ job }) => parentPort.postMessage({ ok: true, value: [job.kind, ++count] }))`

  it("is read in a thread, which is reused; a small answer isn't", async () => {
    const reader = createBodyReader(start(echo))
    expect(await reader.read({ kind: 'detail' }, jsonBody({ id: 'a', name: 'b' }))).toMatchObject({
      value: { deployment: { id: 'a' } },
    })
    expect(threads).toHaveLength(0)
    const both = [
      reader.read({ kind: 'page', limit: 1 }, large),
      reader.read({ kind: 'repositories' }, large),
    ]
    expect(await Promise.all(both)).toEqual([
      { ok: true, value: ['page', 1] },
      { ok: true, value: ['repositories', 2] },
    ])
    expect(threads).toHaveLength(1)
  })

  it.each([
    [
      'takes too much memory',
      'for (const all = []; ; ) all.push(new Array(1000).fill({}))',
      'too much memory',
    ],
    ['ends the thread', 'process.exit(1)', "couldn't be read"],
    ['takes too long', 'for (;;);', 'too long'],
  ])('that %s costs its thread and nothing else', async (_what, work, words) => {
    let program = `require('node:worker_threads').parentPort.on('message', () => { ${work} })`
    const reader = createBodyReader(() => start(program)(), words === 'too long' ? 500 : 20_000)
    const first = reader.read({ kind: 'detail' }, large)
    const second = reader.read({ kind: 'detail' }, large)
    expect(await first).toMatchObject({ ok: false, reason: expect.stringContaining(words) as string })
    expect(await second).toMatchObject({ ok: false })
    program = echo
    expect(await reader.read({ kind: 'detail' }, large)).toEqual({ ok: true, value: ['detail', 1] })
  })
})
