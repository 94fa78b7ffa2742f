import type { KeychainReply, KeychainRequest } from '../../../../../electron/cache/protocol'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  createKeychain,
  type Keychain,
  keychainFailure,
  keychainServiceName,
  createFileKeys,
} from '../../../../../electron/main/processes/keychain'
import type { RunningStore } from '../../../../../electron/main/processes/store-process'
import { keychainInMemory } from '../../../../support/main/environments'

describe('the keychain', () => {
  /** A keychain whose calls the test answers, and the calls that reached each process, in order. */
  function open({ platform = 'linux' }: { platform?: NodeJS.Platform } = {}) {
    const processes: RunningStore[] = []
    const requests: KeychainRequest[] = []
    let running: RunningStore | null = null
    let reply: (reply: KeychainReply | null) => void = () => undefined
    const keychain = createKeychain({
      service: 'Test',
      platform,
      timeLimitMs: 1_000,
      process: {
        current: () => running,
        start() {
          if (running) return running
          running = { process: {} as RunningStore['process'], waiting: new Map(), timer: null }
          processes.push(running)
          return running
        },
        callKeychain(_to, request) {
          requests.push(request)
          return new Promise((resolve) => (reply = resolve))
        },
        end() {
          running = null
          reply(null)
        },
      },
    })
    return {
      keychain,
      processes,
      requests,
      answer: (value: string | boolean | null) => reply({ ok: true, value }),
      refuse: (words: string) => reply({ ok: false, problem: 'keychain', words }),
      lack: (words: string) => reply({ ok: false, problem: 'library', words }),
      /** Ends the process by itself. */
      crash() {
        running = null
        reply(null)
      },
    }
  }

  /** Lets the calls reach the process. */
  const reach = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0)

  /** Makes a call that the keychain answers. */
  async function connect({ keychain, answer }: ReturnType<typeof open>): Promise<void> {
    const call = keychain.get('first')
    await reach()
    answer('value')
    await call
  }

  describe('the client of the keychain', () => {
    beforeEach(() => void vi.useFakeTimers())
    afterEach(() => void vi.useRealTimers())

    it('makes one call at a time', async () => {
      const { keychain, requests, answer } = open()
      const first = keychain.get('one')
      const second = keychain.set('two', 'value')
      await reach()
      expect(requests).toEqual([{ call: 'get', service: 'Test', account: 'one' }])
      answer('text')
      expect(await first).toEqual({ ok: true, value: 'text' })
      await reach()
      expect(requests).toHaveLength(2)
      answer(null)
      expect(await second).toEqual({ ok: true, value: null })
    })

    it('gives up a call past its limit, and ends the process of a write, which must not take effect later', async () => {
      const { keychain, processes, requests, answer } = open()
      const read = keychain.get('one')
      const write = keychain.set('two', 'value')
      const next = keychain.get('three')
      await vi.advanceTimersByTimeAsync(1_000)
      expect(await read).toMatchObject({ failure: { code: 'keychain-unresponsive', retryable: true } })
      expect(processes).toHaveLength(1)
      await vi.advanceTimersByTimeAsync(1_000)
      expect(await write).toMatchObject({ failure: { code: 'keychain-unresponsive' } })
      await reach()
      expect(processes).toHaveLength(2)
      expect(requests.at(-1)).toMatchObject({ account: 'three' })
      answer('three')
      expect(await next).toEqual({ ok: true, value: 'three' })
    })

    it('never repeats a write', async () => {
      const opened = open()
      await connect(opened)
      const { keychain, requests, refuse, crash } = opened
      for (const fails of [() => refuse('No such secret session'), crash]) {
        const made = requests.length
        const write = keychain.set('one', 'value')
        await reach()
        fails()
        expect(await write).toMatchObject({ ok: false })
        expect(requests).toHaveLength(made + 1)
      }
    })

    it('keeps the process whatever the keychain answers', async () => {
      const { keychain, processes, refuse } = open()
      for (const [words, code] of [
        ['Cannot autolaunch D-Bus without X11 $DISPLAY', 'keychain-missing'],
        ['Cannot get secret of a locked object', 'keychain-locked'],
      ] as const) {
        const call = keychain.get('one')
        await reach()
        refuse(words)
        expect(await call).toMatchObject({ failure: { code } })
      }
      expect(processes).toHaveLength(1)
    })

    it('reads once more if the process ends meanwhile, and fails if it ends again', async () => {
      const { keychain, processes, answer, crash } = open()
      const first = keychain.get('one')
      await reach()
      crash()
      await reach()
      answer('value')
      expect(await first).toEqual({ ok: true, value: 'value' })
      const second = keychain.get('two')
      for (let times = 0; times < 2; times += 1) {
        await reach()
        crash()
      }
      expect(await second).toMatchObject({ failure: { code: 'keychain-unresponsive' } })
      expect(processes).toHaveLength(3)
    })

    it("reports a library that can't be loaded", async () => {
      const { keychain, lack } = open()
      const first = keychain.get('one')
      await reach()
      lack('libsecret-1.so.0: cannot open')
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
})

describe('keys of files', () => {
  const entries = new Map<string, string>()
  /** The calls in order, and an action just before one is answered. */
  let calls: string[] = []
  let before: (call: string) => void = () => undefined
  let locked = false

  function keychain(): Keychain {
    const said = (call: string): void => {
      before(call)
      calls.push(call)
    }
    const { get, set, ...others } = keychainInMemory(entries, () => locked)
    return {
      ...others,
      get(account) {
        said(`get ${account}`)
        return get(account)
      },
      set(account, value) {
        said(`set ${account}`)
        return set(account, value)
      },
    }
  }

  const keys = createFileKeys(keychain())

  beforeEach(() => {
    entries.clear()
    calls = []
    before = () => undefined
    locked = false
  })

  describe('the key of a file', () => {
    it('is created once, with the marker', async () => {
      const first = await keys.keyFor('k', { stored: false })
      expect(first.ok && first.value).toMatch(/^[0-9a-f]{64}$/)
      expect(await keys.keyFor('k', { stored: true })).toEqual(first)
      expect([...entries.keys()].sort()).toEqual(['k', 'marker'])
    })

    it("isn't created while the keychain is locked", async () => {
      await keys.keyFor('k', { stored: false })
      const entriesBefore = new Map(entries)
      locked = true
      for (const stored of [true, false]) {
        expect(await keys.keyFor('k', { stored })).toMatchObject({
          ok: false,
          failure: { code: 'keychain-locked' },
        })
      }
      expect(entries).toEqual(entriesBefore)
    })

    it.each([true, false])(
      "isn't replaced when the keychain is unlocked between two calls",
      async (stored) => {
        const first = await keys.keyFor('k', { stored: false })
        const entriesBefore = new Map(entries)
        locked = true
        before = (call) => {
          if (call.endsWith('marker')) locked = false
        }
        expect(await keys.keyFor('k', { stored })).toEqual(first)
        expect(entries).toEqual(entriesBefore)
      },
    )

    it("isn't requested with a password unless the operator wants it", async () => {
      await keys.keyFor('k', { stored: true })
      expect(calls.some((call) => call.startsWith('set'))).toBe(false)
      await keys.keyFor('k', { stored: true, byOperator: true })
      expect(calls).toContain('set marker')
    })

    it('is created again if it is certainly gone', async () => {
      const first = await keys.keyFor('k', { stored: false })
      entries.delete('k')
      const second = await keys.keyFor('k', { stored: true })
      expect(second.ok).toBe(true)
      expect(second).not.toEqual(first)
    })

    it("is left unchanged if it isn't a key", async () => {
      entries.set('k', 'no key')
      expect(await keys.keyFor('k', { stored: true })).toMatchObject({
        failure: { code: 'keychain-refused' },
      })
      expect(entries.get('k')).toBe('no key')
    })
  })
})
