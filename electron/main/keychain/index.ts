import { type Failure, type Outcome, fail, succeed } from '@contract'
import {
  type KeychainReply,
  type KeychainRequest,
  type KeychainValue,
  keychainReplySchema,
  keychainValueSchemas,
} from '@contract/keychain'
import { keychainEnded, keychainFailure, libraryMissing, noAnswer } from './failures'
import type { Keychain } from './port'

/** What is needed of the keychain process; Electron's UtilityProcess has it. */
export interface KeychainProcess {
  postMessage: (message: unknown) => void
  on: (event: 'message', listener: (message: unknown) => void) => unknown
  once: (event: 'exit', listener: () => void) => unknown
  /** Ends the process at once, whatever it is doing. */
  kill: () => void
}

export interface KeychainOptions {
  fork: () => KeychainProcess
  /** The name under which the entries are kept. */
  service: string
  platform?: NodeJS.Platform
  /**
   * How long a call may take, in milliseconds. Long, because the keychain may be asking a human for a password;
   * whoever must not wait that long stops waiting, not the call.
   */
  timeLimitMs?: number
}

/**
 * Whether the failure can come of a connection to a daemon that is no longer there: libsecret keeps its session with
 * the first daemon for the life of the process, and every call fails once another has taken its place.
 */
const mayBeCutOff = ({ code }: Failure): boolean =>
  code === 'keychain-unresponsive' || code === 'keychain-refused'

interface Job {
  request: KeychainRequest
  settle: (outcome: Outcome<unknown>) => void
}

/** Windows: CRED_MAX_CREDENTIAL_BLOB_SIZE. */
const windowsEntryLimit = 2_560

/**
 * The client of the keychain process. The process is started with the first call, gets one call at a time, is
 * killed when a call exceeds its time limit, and is started again with the next call after it has ended.
 */
export function createKeychain({
  fork,
  service,
  platform = process.platform,
  timeLimitMs = 120_000,
}: KeychainOptions): Keychain {
  const waiting: Job[] = []
  let underWay: Job | null = null
  let child: KeychainProcess | null = null
  let nextId = 1
  let closed = false

  function start(): KeychainProcess {
    const started = fork()
    child = started
    started.on('message', (message) => {
      const reply = keychainReplySchema.safeParse(message)
      if (reply.success && child === started) finish(reply.data)
    })
    started.once('exit', () => {
      if (child === started) stop(keychainEnded())
    })
    return started
  }

  function drop(): void {
    const dropped = child
    child = null
    dropped?.kill()
  }

  /** Drops the process; the call that is under way, if any, fails. */
  function stop(reason: Failure): void {
    drop()
    const job = underWay
    underWay = null
    job?.settle(fail(reason))
    next()
  }

  function finish(reply: KeychainReply): void {
    if (underWay?.request.id !== reply.id) return
    const job = underWay
    underWay = null
    if (reply.ok) {
      job.settle(succeed(reply.value))
    } else {
      const reason = failureOf(reply)
      job.settle(fail(reason))
      if (mayBeCutOff(reason)) drop()
    }
    next()
  }

  function failureOf(reply: KeychainReply & { ok: false }): Failure {
    return reply.problem === 'library'
      ? libraryMissing(reply.words, platform)
      : keychainFailure(reply.words, platform)
  }

  function next(): void {
    if (underWay || waiting.length === 0) return
    const job = waiting.shift()!
    underWay = job
    try {
      const process = child ?? start()
      process.postMessage(job.request)
    } catch {
      stop(keychainEnded())
      return
    }
    const timer = setTimeout(() => {
      if (underWay === job) stop(noAnswer(timeLimitMs))
    }, timeLimitMs)
    const settle = job.settle
    job.settle = (outcome) => {
      clearTimeout(timer)
      settle(outcome)
    }
  }

  async function ask<Call extends KeychainRequest['call']>(
    request: KeychainRequest & { call: Call },
  ): Promise<Outcome<KeychainValue<Call>>> {
    if (closed) return fail(keychainEnded())
    const outcome = await new Promise<Outcome<unknown>>((settle) => {
      waiting.push({ request, settle })
      next()
    })
    if (!outcome.ok) return outcome
    const value = keychainValueSchemas[request.call].safeParse(outcome.value)
    return value.success ? succeed(value.data as KeychainValue<Call>) : fail(keychainEnded())
  }

  return {
    looksEmptyWhenLocked: platform === 'linux',
    entryLimit: platform === 'win32' ? windowsEntryLimit : null,
    get: (account) => ask({ id: nextId++, call: 'get', service, account }),
    set: (account, value) => ask({ id: nextId++, call: 'set', service, account, value }),
    delete: (account) => ask({ id: nextId++, call: 'delete', service, account }),
    findAll: () => ask({ id: nextId++, call: 'findAll', service }),
    giveUp() {
      if (underWay) stop(noAnswer(null))
    },
    close() {
      closed = true
      for (const job of waiting.splice(0)) job.settle(fail(keychainEnded()))
      stop(keychainEnded())
    },
  }
}
