import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { waitUntilListening } from '../../../../../../electron/main/processes/built-in-service/listening'

it('reads the last output of a process after Electron has reported its end', async () => {
  const stderr = new PassThrough()
  const child = Object.assign(new EventEmitter(), { stdout: null, stderr, kill: () => undefined })
  const start = waitUntilListening(child, 20_000)
  stderr.write('First words.\n')
  await new Promise((resolve) => setImmediate(resolve))
  // Like Electron's UtilityProcess.
  child.emit('exit', 1)
  stderr.removeAllListeners()
  let settled = false
  void start.then(() => (settled = true))
  // Timers of equal length fire in the order in which they were set: this one after one of `exit`.
  await new Promise((resolve) => setTimeout(resolve))
  expect(settled).toBe(false)
  stderr.end('Last words.\n')
  expect(await start).toEqual({
    ok: false,
    reason: 'it ended with code 1: First words. Last words.',
    status: 1,
  })
})
