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
  /** The service name of the entries. */
  service: string
  /** Whether its calls go before those of other keychains, as calls for profiles do. */
  first?: boolean
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
  code === 'keychain-unresponsive' || code === 'keychain-refused'

/**
 * The processes that the keychain has answered. One of them that finds no keychain any more may have lost it to another
 * daemon. Without any keychain, the set is empty, and no process is replaced without need.
 */
const connected = new WeakSet<KeychainProcess>()

interface Job {
  request: KeychainRequest
  settle: (outcome: Outcome<unknown>) => void
  /** Whether this is the second attempt, in a new process. */
  again: boolean
}

/** Whether a call only reads: a write with an unclear result isn't repeated. */
const isReading = ({ request: { call } }: Job): boolean => call === 'get' || call === 'findAll'

/** A process while this keychain uses it. */
interface Hold {
  process: KeychainProcess
  /** Whether it had calls before this keychain took it. */
  used: boolean
  leave: () => void
}

/** Windows: CRED_MAX_CREDENTIAL_BLOB_SIZE. */
const windowsEntryLimit = 2_560

/**
 * The client of the keychain process. It takes a process for the waiting calls and returns it after them. The process
 * gets one call at a time and is killed when a call exceeds its time limit. A read is repeated once in a new process if
 * the process ends or loses the daemon during it, and had earlier calls.
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

  /** Whether a new process may succeed. */
  const mayRepeat = (job: Job): boolean => held?.used === true && isReading(job)

  /** Repeats the call in a new process. */
  function askAgain(job: Job): void {
    job.again = true
    void carryOut(job)
  }

  /** Ends the process. A running call fails. */
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
        // The call was abandoned meanwhile, or a later call took another process.
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
