import { EventEmitter } from 'node:events'
import type { KeychainRequest } from '@contract/app/keychain'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createKeychain } from '../../../../../../electron/main/processes/keychain'
import { keychainFailure } from '../../../../../../electron/main/processes/keychain/failures'
import type { KeychainProcess } from '../../../../../../electron/main/processes/keychain/processes'
import { keychainServiceName } from '../../../../../../electron/main/processes/keychain/service-name'

/** A keychain process with answers from the test. */
class FakeProcess extends EventEmitter implements KeychainProcess {
  readonly requests: KeychainRequest[] = []
  killed = false

  postMessage = (message: unknown): void => {
    this.requests.push(message as KeychainRequest)
  }

  kill = (): void => {
    this.killed = true
    this.emit('exit')
  }

  answer(value: unknown, id = this.requests.at(-1)?.id): void {
    this.emit('message', { id, ok: true, value })
  }

  refuse(words: string): void {
    this.emit('message', { id: this.requests.at(-1)?.id, ok: false, problem: 'keychain', words })
  }
}

/** A keychain whose processes are `used` before it takes them, and the calls that it made to them. */
function open({ platform = 'linux', used = false }: { platform?: NodeJS.Platform; used?: boolean } = {}) {
  const processes: FakeProcess[] = []
  const idle: FakeProcess[] = []
  const keychain = createKeychain({
    service: 'Test',
    platform,
    timeLimitMs: 1_000,
    processes: {
      take: ({ anew } = {}) => {
        const process = (anew ? undefined : idle.pop()) ?? new FakeProcess()
        if (!processes.includes(process)) processes.push(process)
        return Promise.resolve({ process, used: used && !anew })
      },
      giveBack: (process) => idle.push(process as FakeProcess),
      renew: () => idle.splice(0),
    },
  })
  return { keychain, processes, idle, newest: () => processes.at(-1)! }
}

/** Lets the calls reach the process. */
const reach = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0)

describe('the client of the keychain process', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('takes a process with the first call, makes one call at a time, and returns it', async () => {
    const { keychain, processes, idle, newest } = open()
    expect(processes).toHaveLength(0)
    const first = keychain.get('one')
    const second = keychain.set('two', 'value')
    await reach()
    expect(newest().requests).toMatchObject([{ call: 'get', service: 'Test', account: 'one' }])
    newest().answer('text')
    expect(await first).toEqual({ ok: true, value: 'text' })
    await reach()
    expect(newest().requests).toHaveLength(2)
    expect(idle).toHaveLength(0)
    newest().answer(null)
    expect(await second).toEqual({ ok: true, value: null })
    expect(idle).toEqual(processes)
    expect(idle[0]?.eventNames()).toEqual([])
    const third = keychain.get('three')
    await reach()
    newest().answer('again')
    expect(await third).toEqual({ ok: true, value: 'again' })
    expect(processes).toHaveLength(1)
  })

  it('kills a process that exceeds the time limit, and continues with another one', async () => {
    const { keychain, processes, newest } = open()
    const hanging = keychain.get('one')
    const next = keychain.get('two')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await hanging).toMatchObject({ failure: { code: 'keychain-unresponsive', retryable: true } })
    expect(processes[0]?.killed).toBe(true)
    expect(processes).toHaveLength(2)
    // A late answer of the killed process doesn't count for the new one.
    processes[0]?.answer('late', newest().requests[0]?.id)
    newest().answer('two')
    expect(await next).toEqual({ ok: true, value: 'two' })
  })

  it('takes another process after a refusal, since the daemon may have been replaced', async () => {
    const { keychain, processes, newest } = open()
    const first = keychain.get('one')
    await reach()
    newest().refuse('No such secret session')
    expect(await first).toMatchObject({ failure: { code: 'keychain-refused' } })
    const second = keychain.get('one')
    await reach()
    expect(processes).toHaveLength(2)
    newest().refuse('Cannot get secret of a locked object')
    expect(await second).toMatchObject({ failure: { code: 'keychain-locked' } })
    void keychain.get('one')
    await reach()
    expect(processes).toHaveLength(2)
  })

  it('repeats a call in a new process if one with earlier calls is refused', async () => {
    const { keychain, processes, newest } = open({ used: true })
    const first = keychain.get('one')
    await reach()
    newest().refuse('No such secret session')
    await reach()
    expect(processes).toHaveLength(2)
    expect(processes[0]?.killed).toBe(true)
    expect(newest().requests).toEqual(processes[0]?.requests)
    newest().refuse('No such secret session')
    expect(await first).toMatchObject({ failure: { code: 'keychain-refused' } })
    for (const [call, words, code] of [
      [keychain.get('one'), 'Timeout was reached', 'keychain-unresponsive'],
      [keychain.set('one', 'value'), 'No such secret session', 'keychain-refused'],
    ] as const) {
      await reach()
      newest().refuse(words)
      expect(await call).toMatchObject({ failure: { code } })
    }
    expect(processes).toHaveLength(4)
  })

  it('uses a new process if one that reached a keychain before finds none any more', async () => {
    const { keychain, processes, newest } = open({ used: true })
    const before = keychain.get('one')
    await reach()
    newest().answer('value')
    await before
    const after = keychain.get('one')
    await reach()
    newest().refuse('The name org.freedesktop.secrets was not provided by any .service files')
    await reach()
    expect(processes).toHaveLength(2)
    expect(processes[0]?.killed).toBe(true)
    newest().answer('value')
    expect(await after).toEqual({ ok: true, value: 'value' })
  })

  it('keeps its process if there never was a keychain', async () => {
    const { keychain, processes, newest } = open({ used: true })
    for (const account of ['one', 'two']) {
      const call = keychain.get(account)
      await reach()
      newest().refuse('Cannot autolaunch D-Bus without X11 $DISPLAY')
      expect(await call).toMatchObject({ failure: { code: 'keychain-missing' } })
    }
    expect(processes).toHaveLength(1)
  })

  it('fails the call during which the process ends, and takes another one for the next', async () => {
    const { keychain, processes, newest } = open()
    const first = keychain.findAll()
    await reach()
    newest().emit('exit')
    expect(await first).toMatchObject({ failure: { code: 'keychain-unresponsive' } })
    const second = keychain.get('one')
    await reach()
    newest().answer(null)
    expect(await second).toEqual({ ok: true, value: null })
    expect(processes).toHaveLength(2)
  })

  it('repeats a read in a new process if one with earlier calls ends, and never a write', async () => {
    const { keychain, processes, newest } = open({ used: true })
    const first = keychain.get('one')
    await reach()
    newest().emit('exit')
    await reach()
    expect(processes).toHaveLength(2)
    newest().answer('value')
    expect(await first).toEqual({ ok: true, value: 'value' })
    const write = keychain.set('one', 'other')
    await reach()
    newest().emit('exit')
    expect(await write).toMatchObject({ failure: { code: 'keychain-unresponsive' } })
  })

  it("answers a call whose process can't be ended", async () => {
    const { keychain, newest } = open()
    const first = keychain.get('one')
    await reach()
    newest().kill = () => {
      throw new Error('kill EPERM')
    }
    expect(() => keychain.giveUp()).toThrow('EPERM')
    expect(await first).toMatchObject({ failure: { code: 'keychain-unresponsive' } })
  })

  it('abandons only the running call on request', async () => {
    const { keychain, processes, newest } = open()
    keychain.giveUp()
    const first = keychain.get('one')
    await reach()
    const second = keychain.get('two')
    keychain.giveUp()
    expect(await first).toMatchObject({ failure: { code: 'keychain-unresponsive' } })
    await reach()
    newest().answer('two')
    expect(await second).toEqual({ ok: true, value: 'two' })
    expect(processes).toHaveLength(2)
  })

  it('returns the process for a call that was abandoned before it was made', async () => {
    const { keychain, processes, idle, newest } = open()
    const first = keychain.get('one')
    keychain.giveUp()
    expect(await first).toMatchObject({ failure: { code: 'keychain-unresponsive' } })
    await reach()
    expect(idle).toEqual(processes)
    const second = keychain.get('two')
    await reach()
    newest().answer('two')
    expect(await second).toEqual({ ok: true, value: 'two' })
    expect(newest().requests).toMatchObject([{ account: 'two' }])
  })

  it('accepts no answer of the wrong kind or shape', async () => {
    const { keychain, newest } = open()
    const first = keychain.get('one')
    await reach()
    newest().emit('message', 'nonsense')
    newest().answer('stray', 999)
    newest().answer(true)
    expect(await first).toMatchObject({ failure: { code: 'keychain-unresponsive' } })
  })

  it('fails if no process can be started', async () => {
    const keychain = createKeychain({
      service: 'Test',
      processes: {
        take: () => Promise.reject(new Error('no such program')),
        giveBack: () => undefined,
        renew: () => undefined,
      },
    })
    expect(await keychain.get('one')).toMatchObject({ failure: { code: 'keychain-unresponsive' } })
  })

  it('ends with all its calls when it is closed', async () => {
    const { keychain, newest } = open()
    const calls = [keychain.get('one'), keychain.get('two')]
    await reach()
    keychain.close()
    for (const call of calls) expect(await call).toMatchObject({ ok: false })
    expect(newest().killed).toBe(true)
    expect(await keychain.get('three')).toMatchObject({ ok: false })
  })

  it("reports a library that can't be loaded", async () => {
    const { keychain, newest } = open()
    const first = keychain.get('one')
    await reach()
    const { id } = newest().requests[0]!
    newest().emit('message', { id, ok: false, problem: 'library', words: 'libsecret-1.so.0: cannot open' })
    expect(await first).toMatchObject({
      failure: { code: 'keychain-missing', advice: expect.stringContaining('libsecret') as string },
    })
  })

  it('knows the differences between platforms', () => {
    expect(open({ platform: 'linux' }).keychain).toMatchObject({
      looksEmptyWhenLocked: true,
      entryLimit: null,
    })
    expect(open({ platform: 'win32' }).keychain).toMatchObject({
      looksEmptyWhenLocked: false,
      entryLimit: 2_560,
    })
    expect(open({ platform: 'darwin' }).keychain).toMatchObject({
      looksEmptyWhenLocked: false,
      entryLimit: null,
    })
  })
})

it.each([
  ['Cannot create an item in a locked collection', 'keychain-locked'],
  ['The prompt was dismissed', 'keychain-locked'],
  ['User interaction is not allowed.', 'keychain-locked'],
  ['Cannot autolaunch D-Bus without X11 $DISPLAY', 'keychain-missing'],
  ['Could not connect: No such file or directory', 'keychain-missing'],
  ['The name org.freedesktop.secrets was not provided by any .service files', 'keychain-missing'],
  ['Timeout was reached', 'keychain-unresponsive'],
  ['Message recipient disconnected from message bus without replying', 'keychain-unresponsive'],
  ['The stub received bad data', 'keychain-refused'],
])('takes %j for %s', (words, code) => {
  expect(keychainFailure(words, 'linux')).toMatchObject({ code, retryable: true, serviceWords: null })
})

it('separates the entries of installations side by side', () => {
  const usual = '/home/ann/.config/Slipway'
  expect(keychainServiceName(usual, usual)).toBe('Slipway')
  const others = ['/tmp/one', '/tmp/two'].map((folder) => keychainServiceName(folder, usual))
  expect(new Set(['Slipway', ...others]).size).toBe(3)
  expect(keychainServiceName('/tmp/one', usual)).toBe(others[0])
})
