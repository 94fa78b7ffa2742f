import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type KeychainProcess,
  type KeychainProcesses,
  keychainProcesses,
  type ProcessRequest,
} from '../../../../../../electron/main/processes/keychain/processes'

class FakeProcess extends EventEmitter implements KeychainProcess {
  postMessage = vi.fn()
  kill = vi.fn(() => void this.emit('exit'))
}

function open() {
  const forked: FakeProcess[] = []
  const fork = () => {
    const process = new FakeProcess()
    forked.push(process)
    return process
  }
  const processes = keychainProcesses(fork(), fork)
  return { forked, ...processes }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('lends the first one again and again', async () => {
  const { forked, take, giveBack } = open()
  expect(forked).toHaveLength(1)
  for (const used of [false, true, true]) {
    const taken = await take()
    expect(taken).toEqual({ process: forked[0], used })
    giveBack(taken.process)
  }
  expect(forked).toHaveLength(1)
})

it('waits for one that is in use, and lends it in the order of requests', async () => {
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

it('forks another one when none is returned in time', async () => {
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

it('forks another one at once if the last awaited one has ended, or a new one is requested', async () => {
  const { forked, take } = open()
  await take()
  const second = take()
  forked[0]!.emit('exit')
  expect(await second).toEqual({ process: forked[1], used: false })
  expect(await take({ anew: true })).toEqual({ process: forked[2], used: false })
})

it('ends the idle one if a new one is requested', async () => {
  const { forked, take } = open()
  expect(await take({ anew: true })).toEqual({ process: forked[1], used: false })
  expect(forked[0]!.kill).toHaveBeenCalledOnce()
})

it('keeps an idle one for half a minute, and never lends one that has ended', async () => {
  const { forked, take, giveBack } = open()
  giveBack((await take()).process)
  expect(forked[0]!.listenerCount('exit')).toBe(1)
  await vi.advanceTimersByTimeAsync(30_000)
  expect(forked[0]!.kill).toHaveBeenCalledOnce()
  giveBack((await take()).process)
  forked[1]!.emit('exit')
  expect((await take()).process).toBe(forked[2])
  giveBack(forked[1]!)
  await expect(Promise.race([take(), Promise.resolve('waits')])).resolves.toBe('waits')
})

it('lends no existing process once new ones are requested', async () => {
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

describe('while the keychain answers no call', () => {
  /** The given number of calls, and the processes that each has received so far. */
  function ask(take: KeychainProcesses['take'], count: number, request?: ProcessRequest): KeychainProcess[] {
    const got: KeychainProcess[] = []
    for (let call = 0; call < count; call += 1) void take(request).then(({ process }) => got.push(process))
    return got
  }

  it('has three processes and one for profiles, however many calls there are', async () => {
    const { forked, take } = open()
    const got = ask(take, 200)
    await vi.advanceTimersByTimeAsync(120_000)
    expect(forked).toHaveLength(3)
    expect(got).toEqual(forked)
    const profiles = ask(take, 2, { first: true })
    await vi.advanceTimersByTimeAsync(500)
    expect(forked).toHaveLength(4)
    expect(profiles).toEqual([forked[3]])
  })

  it('serves waiting calls when it answers again, those for profiles first, with no other process', async () => {
    const { forked, take, giveBack } = open()
    const files = ask(take, 60)
    await vi.advanceTimersByTimeAsync(10_000)
    const profile = take({ first: true })
    giveBack(forked[1]!)
    expect((await profile).process).toBe(forked[1])
    giveBack(forked[1]!)
    while (files.length < 60) {
      await vi.advanceTimersByTimeAsync(400)
      giveBack(files.at(-1)!)
    }
    expect(forked).toHaveLength(3)
  })

  it('starts a new one if requested, once another has made room', async () => {
    const { forked, take, giveBack } = open()
    ask(take, 3)
    await vi.advanceTimersByTimeAsync(1_000)
    const anew = ask(take, 1, { anew: true })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(anew).toEqual([])
    giveBack(forked[0]!)
    await vi.advanceTimersByTimeAsync(0)
    expect(forked[0]!.kill).toHaveBeenCalledOnce()
    expect(anew).toEqual([forked[3]])
    forked[3]!.emit('exit')
    const next = ask(take, 1)
    await vi.advanceTimersByTimeAsync(500)
    expect(next).toEqual([forked[4]])
  })

  it('fails a call for which none can be started, and continues with the next', async () => {
    let starts = 0
    const { take } = keychainProcesses(new FakeProcess(), () => {
      starts += 1
      if (starts === 1) throw new Error('no such program')
      return new FakeProcess()
    })
    await take()
    const second = take()
    const third = take()
    const said = expect(second).rejects.toThrow('no such program')
    await vi.advanceTimersByTimeAsync(1_000)
    await said
    expect(await third).toMatchObject({ used: false })
  })
})

it('starts no other process for many simultaneous calls that are answered', async () => {
  const { forked, take, giveBack } = open()
  const done = Array.from({ length: 60 }, async () => {
    const { process } = await take()
    await new Promise((resolve) => setTimeout(resolve, 100))
    giveBack(process)
  })
  await vi.advanceTimersByTimeAsync(6_000)
  await Promise.all(done)
  expect(forked).toHaveLength(1)
})
