import { type Failure, type Outcome, fail, succeed } from '@contract'
import {
  type KeychainReply,
  type KeychainRequest,
  type KeychainValue,
  keychainReplySchema,
  keychainValueSchemas,
} from '@contract/app/keychain'
import { keychainEnded, keychainFailure, libraryMissing, noAnswer } from './failures'
import type { Keychain } from './types'
import type { KeychainProcess, KeychainProcesses } from './processes'

export interface KeychainOptions {
  processes: KeychainProcesses
  /** The name under which the entries are kept. */
  service: string
  /** Whether its calls go before those of others, as those for profiles do. */
  first?: boolean
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

/**
 * The processes that the keychain has answered. One of them that finds no keychain any more may miss the one that has
 * taken its place; where there is none at all, no process is ever in here, and none is replaced in vain.
 */
const connected = new WeakSet<KeychainProcess>()

interface Job {
  request: KeychainRequest
  settle: (outcome: Outcome<unknown>) => void
  /** Whether it was asked for a second time, of a new process. */
  again: boolean
}

/** Whether a call only asks: a write whose end is unclear is not repeated. */
const isReading = ({ request: { call } }: Job): boolean => call === 'get' || call === 'findAll'

/** A process while it is asked. */
interface Hold {
  process: KeychainProcess
  /** Whether it had been asked before it was taken. */
  used: boolean
  leave: () => void
}

/** Windows: CRED_MAX_CREDENTIAL_BLOB_SIZE. */
const windowsEntryLimit = 2_560

/**
 * The client of the keychain process. A process is taken for the calls that wait and given back after them, gets one
 * call at a time, and is killed when a call exceeds its time limit. A question in which the process ends, or that is
 * refused as if the process had been cut off from the daemon, is repeated once, by a new process, where this one had been
 * asked before it was taken.
 */
export function createKeychain({
  processes,
  service,
  first = false,
  platform = process.platform,
  timeLimitMs = 120_000,
}: KeychainOptions): Keychain {
  const waiting: Job[] = []
  let underWay: Job | null = null
  let held: Hold | null = null
  let nextId = 1
  let closed = false

  function hold({ process, used }: { process: KeychainProcess; used: boolean }): Hold {
    const onMessage = (message: unknown): void => {
      const reply = keychainReplySchema.safeParse(message)
      if (reply.success) finish(reply.data)
    }
    const onExit = (): void => {
      const job = underWay
      const repeat = job !== null && mayRepeat(job)
      leave()
      if (repeat) askAgain(job)
      else stop(keychainEnded())
    }
    process.on('message', onMessage)
    process.once('exit', onExit)
    const leave = (): void => {
      process.off('message', onMessage)
      process.off('exit', onExit)
      held = null
    }
    held = { process, used, leave }
    return held
  }

  function drop(): void {
    const dropped = held
    dropped?.leave()
    dropped?.process.kill()
  }

  /** Whether a new process may know better. */
  const mayRepeat = (job: Job): boolean => held?.used === true && isReading(job)

  /** Asks a new process. */
  function askAgain(job: Job): void {
    job.again = true
    void carryOut(job)
  }

  /** Drops the process; the call that is under way, if any, fails. */
  function stop(reason: Failure): void {
    const job = underWay
    underWay = null
    job?.settle(fail(reason))
    drop()
    next()
  }

  function finish(reply: KeychainReply): void {
    const job = underWay
    if (job?.request.id !== reply.id) return
    if (reply.ok) {
      if (held) connected.add(held.process)
      job.settle(succeed(reply.value))
    } else {
      const reason = failureOf(reply)
      const isMissing = reason.code === 'keychain-missing'
      if (mayBeCutOff(reason) || (isMissing && held && connected.has(held.process))) {
        const repeat = reason.code !== 'keychain-unresponsive' && mayRepeat(job)
        drop()
        if (repeat) {
          askAgain(job)
          return
        }
      }
      job.settle(fail(reason))
    }
    underWay = null
    next()
  }

  function failureOf(reply: KeychainReply & { ok: false }): Failure {
    return reply.problem === 'library'
      ? libraryMissing(reply.words, platform)
      : keychainFailure(reply.words, platform)
  }

  function next(): void {
    if (underWay) return
    const job = waiting.shift()
    if (!job) {
      const left = held
      left?.leave()
      if (left) processes.giveBack(left.process)
      return
    }
    underWay = job
    const timer = setTimeout(() => {
      if (underWay === job) stop(noAnswer(timeLimitMs))
    }, timeLimitMs)
    const settle = job.settle
    job.settle = (outcome) => {
      clearTimeout(timer)
      settle(outcome)
    }
    void carryOut(job)
  }

  async function carryOut(job: Job): Promise<void> {
    try {
      if (!held) {
        const taken = await processes.take({ anew: job.again, first })
        // Given up meanwhile, or another one was taken for the call after it.
        if (underWay !== job) {
          processes.giveBack(taken.process)
          return
        }
        hold(taken)
      }
      held?.process.postMessage(job.request)
    } catch {
      if (underWay === job) stop(keychainEnded())
    }
  }

  async function ask<Call extends KeychainRequest['call']>(
    request: KeychainRequest & { call: Call },
  ): Promise<Outcome<KeychainValue<Call>>> {
    if (closed) return fail(keychainEnded())
    const outcome = await new Promise<Outcome<unknown>>((settle) => {
      waiting.push({ request, settle, again: false })
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
    renew: () => processes.renew(),
    close() {
      closed = true
      for (const job of waiting.splice(0)) job.settle(fail(keychainEnded()))
      stop(keychainEnded())
    },
  }
}
