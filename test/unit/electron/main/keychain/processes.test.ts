import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type KeychainProcess, keychainProcesses } from '../../../../../electron/main/keychain/processes'

class FakeProcess extends EventEmitter implements KeychainProcess {
  postMessage = vi.fn()
  kill = vi.fn(() => void this.emit('exit'))
}

function open() {
  const forked: FakeProcess[] = []
  const processes = keychainProcesses(() => {
    const process = new FakeProcess()
    forked.push(process)
    return process
  })
  return { forked, ...processes }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('forks one at once, and lends it again and again', async () => {
  const { forked, take, giveBack } = open()
  expect(forked).toHaveLength(1)
  for (const used of [false, true, true]) {
    const taken = await take()
    expect(taken).toEqual({ process: forked[0], used })
    giveBack(taken.process)
  }
  expect(forked).toHaveLength(1)
})

it('waits for one that is in use, and gives it to who came first', async () => {
  const { forked, take, giveBack } = open()
  const { process } = await take()
  const [second, third] = [take(), take()]
  await vi.advanceTimersByTimeAsync(400)
  giveBack(process)
  expect(await second).toEqual({ process, used: true })
  giveBack(process)
  expect(await third).toEqual({ process, used: true })
  expect(forked).toHaveLength(1)
})

it('forks another one when none comes back in time', async () => {
  const { forked, take, giveBack } = open()
  await take()
  const second = take()
  await vi.advanceTimersByTimeAsync(499)
  expect(forked).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(await second).toEqual({ process: forked[1], used: false })
  giveBack(forked[1]!)
  giveBack(forked[0]!)
  expect(forked.map(({ kill }) => kill.mock.calls.length)).toEqual([1, 0])
})

it('forks another one at once when the last that was waited for has ended, or a new one is wanted', async () => {
  const { forked, take } = open()
  await take()
  const second = take()
  forked[0]!.emit('exit')
  expect(await second).toEqual({ process: forked[1], used: false })
  expect(await take(true)).toEqual({ process: forked[2], used: false })
})

it('keeps an idle one for some minutes, and never lends one that has ended', async () => {
  const { forked, take, giveBack } = open()
  giveBack((await take()).process)
  expect(forked[0]!.listenerCount('exit')).toBe(1)
  await vi.advanceTimersByTimeAsync(300_000)
  expect(forked[0]!.kill).toHaveBeenCalledOnce()
  giveBack((await take()).process)
  forked[1]!.emit('exit')
  expect((await take()).process).toBe(forked[2])
  giveBack(forked[1]!)
  await expect(Promise.race([take(), Promise.resolve('waits')])).resolves.toBe('waits')
})

it('lends none of those that were there before, once they are to be new', async () => {
  const { forked, take, giveBack, renew } = open()
  renew()
  expect(forked[0]!.kill).toHaveBeenCalledOnce()
  const { process } = await take()
  expect(process).toBe(forked[1])
  const waiting = take()
  renew()
  expect(forked[1]!.kill).not.toHaveBeenCalled()
  giveBack(process)
  expect(forked[1]!.kill).toHaveBeenCalledOnce()
  expect(await waiting).toEqual({ process: forked[2], used: false })
})
