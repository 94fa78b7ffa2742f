import { type Failure, fail, type Outcome, succeed } from '@contract'
import type { KeychainReply, KeychainRequest, KeychainValues } from '@contract/app/processes'
import { Sequencer } from '../../async'
import { log } from '../../log'
import type { StoreProcess } from '../store-process'
import { type Keychain, keychainEnded, keychainFailure, libraryMissing, noAnswer } from './types'

export interface KeychainOptions {
  process: Pick<StoreProcess, 'start' | 'current' | 'callKeychain' | 'end'>
  /** The service name of the entries. */
  service: string
  platform?: NodeJS.Platform
  /**
   * How long a call may take, in milliseconds. Long, because the keychain may be asking a human for a password. Callers
   * with less time stop waiting; the call goes on.
   */
  timeLimitMs?: number
}

/**
 * Whether a lost connection to the keychain daemon can cause the failure. libsecret keeps a session with the first
 * daemon for the life of the process. Every call fails once another daemon has replaced it.
 */
const mayBeCutOff = ({ code }: Failure): boolean =>
  code === 'keychain-unresponsive' || code === 'keychain-refused' || code === 'keychain-missing'

/** Windows: CRED_MAX_CREDENTIAL_BLOB_SIZE. */
const windowsEntryLimit = 2_560

/**
 * The system's keychain, which the store process calls: one call at a time. A call past its limit is given up. If that is
 * a write, the process is ended: it must not take effect later. A read whose process ends is made once more in a new one.
 */
export function createKeychain({
  process: store,
  service,
  platform = process.platform,
  timeLimitMs = 120_000,
}: KeychainOptions): Keychain {
  const calls = new Sequencer()
  let giveUp: (reason: Failure) => void = () => undefined
  let lastFailure: Failure | null = null

  /** Makes a call once. Null if its process ended during it. */
  async function askOnce(request: KeychainRequest): Promise<Outcome<unknown> | null> {
    const to = store.start()
    if (!to) return null
    const givenUp = new Promise<Failure>((resolve) => (giveUp = resolve))
    const timer = setTimeout(() => giveUp(noAnswer(timeLimitMs)), timeLimitMs)
    const reply = await Promise.race([store.callKeychain(to, request), givenUp])
    clearTimeout(timer)
    if (reply === null) return null
    if ('code' in reply) {
      if (request.call !== 'get') store.end(to)
      return fail(reply)
    }
    return reply.ok ? succeed(reply.value) : fail(failureOf(reply))
  }

  const failureOf = ({ problem, words }: KeychainReply & { ok: false }): Failure =>
    problem === 'library' ? libraryMissing(words, platform) : keychainFailure(words, platform)

  const ask = <Call extends KeychainRequest['call']>(
    request: KeychainRequest & { call: Call },
  ): Promise<Outcome<KeychainValues[Call]>> =>
    calls.queue(async () => {
      const began = performance.now()
      const first = await askOnce(request)
      const second = first === null && request.call === 'get' ? await askOnce(request) : first
      const outcome = second ?? fail(keychainEnded())
      lastFailure = outcome.ok ? null : outcome.failure
      const about = { ms: Math.round(performance.now() - began), code: lastFailure?.code }
      log[lastFailure ? 'warn' : 'debug']('keychain', request.call, about)
      return outcome as Outcome<KeychainValues[Call]>
    })

  return {
    looksEmptyWhenLocked: platform === 'linux',
    entryLimit: platform === 'win32' ? windowsEntryLimit : null,
    get: (account) => ask({ call: 'get', service, account }),
    set: (account, value) => ask({ call: 'set', service, account, value }),
    delete: (account) => ask({ call: 'delete', service, account }),
    giveUp: () => giveUp(noAnswer(null)),
    renew() {
      const running = store.current()
      if (running && lastFailure && mayBeCutOff(lastFailure)) store.end(running)
    },
  }
}
