import { Worker } from 'node:worker_threads'
import { afterEach, expect, test, vi } from 'vitest'
import { createReadAhead } from '../../../../../electron/cache/read-ahead'

/** Answers each body with its text and how many bodies came before it. */
const echo = `const { parentPort } = require('node:worker_threads')
  let count = 0
  parentPort.on('message', ({ digest, body }) =>
    parentPort.postMessage({ digest, content: [Buffer.from(body).toString(), count++] }))`

const threads: Worker[] = []
const start = (program: string) => (): Worker => {
  const thread = new Worker(program, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 32 } })
  threads.push(thread)
  return thread
}

afterEach(async () => {
  vi.useRealTimers()
  for (const thread of threads.splice(0)) await thread.terminate()
})

test('gives what one thread has made of a body, once, in whatever order it is taken', async () => {
  const ahead = createReadAhead(start(echo))
  const reading = ['a', 'b', 'c'].map((text) => ahead.read(`digest of ${text}`, Buffer.from(text)))
  expect(await ahead.take('digest of b')).toEqual(['b', 1])
  expect(await ahead.take('digest of c')).toEqual(['c', 2])
  expect(await ahead.take('digest of c')).toBeUndefined()
  expect(await ahead.take('digest of another')).toBeUndefined()
  expect(await ahead.take('digest of a')).toEqual(['a', 0])
  expect(await Promise.all(reading)).toEqual([true, true, true])
  expect(threads).toHaveLength(1)
})

test.each([
  ['ends', 'process.exit(1)'],
  ['fails', 'throw new Error("failed")'],
  ['takes too much memory', 'const all = []; for (;;) all.push(new Array(1e6).fill({}))'],
])('a thread that %s costs what it should have read, and is not replaced', async (_what, work) => {
  const ahead = createReadAhead(
    start(`require('node:worker_threads').parentPort.on('message', () => { ${work} })`),
  )
  const reading = ['a', 'b'].map((text) => ahead.read(text, Buffer.from(text)))
  expect(await ahead.take('a')).toBeUndefined()
  expect(await Promise.all(reading)).toEqual([false, false])
  expect(await ahead.read('c', Buffer.from('c'))).toBe(false)
  expect(await ahead.take('c')).toBeUndefined()
  expect(threads).toHaveLength(1)
})
