import { existsSync } from 'node:fs'
import { fail, failure, type Failure, type Outcome, succeed } from '@contract'
import {
  plainTable,
  type StateAside,
  type StateChange,
  type StateOp,
  type StateReply,
  type StateRequest,
  type StateRow,
  type StateTable,
  type StateValues,
} from '../../cache/protocol'
import { raceTimeout, Sequencer } from '../async'
import { noAnswer, type FileKeys } from '../processes/keychain'
import type { RunningStore, StoreProcess } from '../processes/store-process'

export interface StateOptions {
  /** The path of `state.db`. */
  file: string
  process: Pick<StoreProcess, 'start' | 'sendState'>
  keys: Pick<FileKeys, 'keyFor'>
  /** Called with a text for the operator when the file was set aside. */
  notice: (text: string) => void
  /** Called when the key is there after a read or a write went without it: both can be made again. */
  unlockedLate: () => void
  /** How long callers wait for the keychain, in milliseconds. It goes on asking. */
  timeLimits?: { plain: number; sealed: number }
}

/** The account of the key in the keychain. */
const account = 'state-key'

/** How long the keychain isn't asked again after it gave no key, in milliseconds. */
const askAgainAfterMs = 10_000

/** How often a request is tried: again in a new process if one ends, which changes nothing that it has written. */
const maxTries = 2

/**
 * What Slipway keeps in `state.db`: the journal, drafts, what operators keep for themselves, and watches. Its texts are
 * encrypted with a key from the keychain. Without it, only the journal is written, as plain text; with a file that has
 * nothing encrypted, the keychain isn't asked before something is written.
 *
 * Failures: the keychain's; `disk-full`; `internal`.
 */
export function createState({
  file,
  process,
  keys,
  notice,
  unlockedLate,
  timeLimits = { plain: 2_000, sealed: 10_000 },
}: StateOptions) {
  let key: string | null = null
  let opened: { in: RunningStore; done: Promise<Outcome<boolean>> } | null = null
  let unlocking: Promise<Outcome<null>> | null = null
  /** A request for the key that a caller gave up. Others don't wait for it. */
  let slow: Promise<Outcome<null>> | null = null
  let refused: { reason: Failure; at: number } | null = null
  let isMissed = false

  /** Opens the file in a process, once. Gives whether a key is needed to read all of it. */
  function openIn(to: RunningStore): Promise<Outcome<boolean>> {
    if (opened?.in === to) return opened.done
    const done = openNow(to).then((outcome) => {
      if (!outcome.ok) opened = null
      return outcome
    })
    opened = { in: to, done }
    return done
  }

  async function openNow(to: RunningStore): Promise<Outcome<boolean>> {
    const found = read<'open'>(await process.sendState(to, { op: 'open', file }))
    if (!found.ok) return found
    if (key === null) return succeed(found.value.isSealed)
    const unlocked = read<'unlock'>(await process.sendState(to, { op: 'unlock', key }))
    return unlocked.ok ? succeed(true) : unlocked
  }

  function read<Op extends StateOp>(reply: StateReply | null): Outcome<StateValues[Op]> {
    if (!reply) return fail(ended)
    if (reply.setAside) notice(setAsideText(reply.setAside))
    return reply.ok ? succeed(reply.value as StateValues[Op]) : fail(diskFailure(reply))
  }

  /** Tries in another process if one ends. */
  async function inProcess<Value>(
    attempt: (to: RunningStore) => Promise<Outcome<Value>>,
  ): Promise<Outcome<Value>> {
    for (let tried = 0; tried < maxTries; tried += 1) {
      const to = process.start()
      const outcome = to ? await attempt(to) : fail(ended)
      if (outcome.ok || outcome.failure !== ended) return outcome
    }
    return fail(ended)
  }

  const ask = <Op extends StateOp>(request: StateRequest & { op: Op }): Promise<Outcome<StateValues[Op]>> =>
    inProcess(async (to) => {
      const open = await openIn(to)
      return open.ok ? read<Op>(await process.sendState(to, request)) : open
    })

  function unlock(byOperator: boolean): Promise<Outcome<null>> {
    if (key !== null) return Promise.resolve(succeed(null))
    if (unlocking) {
      // One that is running may not make the system ask for a password.
      return byOperator ? unlocking.then((done) => (done.ok ? done : unlock(true))) : unlocking
    }
    const asking = unlockNow(byOperator)
      .then((outcome) => {
        refused = outcome.ok ? null : { reason: outcome.failure, at: performance.now() }
        return outcome
      })
      .finally(() => (unlocking = null))
    unlocking = asking
    return asking
  }

  async function unlockNow(byOperator: boolean): Promise<Outcome<null>> {
    const stored = await inProcess(openIn)
    if (!stored.ok) return stored
    const found = await keys.keyFor(account, { stored: stored.value, byOperator })
    if (!found.ok) return found
    const unlocked = await ask({ op: 'unlock', key: found.value })
    if (!unlocked.ok) return unlocked
    key = found.value
    if (isMissed) unlockedLate()
    return unlocked
  }

  /** Waits for the key. Gives why there is none, or null. */
  async function whyLocked(limitMs: number): Promise<Failure | null> {
    const reason = await whyNoKey(limitMs)
    isMissed ||= reason !== null
    return reason
  }

  async function whyNoKey(limitMs: number): Promise<Failure | null> {
    if (key !== null) return null
    if (refused && performance.now() - refused.at < askAgainAfterMs) return refused.reason
    const asking = unlock(false)
    if (asking === slow) return noAnswer(limitMs)
    const outcome = await raceTimeout(asking, limitMs, () => void (slow = asking))
    if (!outcome) return noAnswer(limitMs)
    return outcome.ok ? null : outcome.failure
  }

  const limitFor = (table: StateTable): number =>
    table === plainTable ? timeLimits.plain : timeLimits.sealed

  return {
    /** The texts of a table. `isLocked`: some of the journal couldn't be read without the key. */
    async read(table: StateTable): Promise<Outcome<StateValues['read']>> {
      const sealed = await inProcess(openIn)
      if (!sealed.ok) return sealed
      const locked = sealed.value ? await whyLocked(limitFor(table)) : null
      return locked && table !== plainTable ? fail(locked) : await ask({ op: 'read', table })
    },

    /** Makes all changes of a table or none. They are on the disk when this resolves. */
    async write(table: StateTable, changes: StateChange[]): Promise<Outcome<null>> {
      if (changes.length === 0) return succeed(null)
      const locked = await whyLocked(limitFor(table))
      return locked && table !== plainTable ? fail(locked) : await ask({ op: 'write', table, changes })
    },

    /** Asks the keychain for the key, if it isn't known. If `byOperator`, the keychain may ask for a password. */
    unlock,
    isUnlocked: () => key !== null,
    /** Whether there may be something that hasn't been read, as far as the disk tells. */
    exists: () => existsSync(file),
  }
}

export type State = ReturnType<typeof createState>

/**
 * Writes what a table should have: only what differs from what it has. `know` takes what was read. Writes run one after
 * the other.
 */
export function createTable(state: Pick<State, 'write'>, table: StateTable) {
  const stored = new Map<string, string>()
  const writes = new Sequencer()
  return {
    know(rows: readonly StateRow[]): void {
      for (const [id, text] of rows) stored.set(id, text)
    },
    write: (wanted: ReadonlyMap<string, string>): Promise<Outcome<null>> =>
      writes.queue(async () => {
        const put = [...wanted].filter(([id, text]) => stored.get(id) !== text)
        const gone = [...stored.keys()].filter((id) => !wanted.has(id))
        const written = await state.write(table, [
          ...put.map(([id, text]) => ({ id, text })),
          ...gone.map((id) => ({ id, text: null })),
        ])
        if (!written.ok) return written
        for (const [id, text] of put) stored.set(id, text)
        for (const id of gone) stored.delete(id)
        return written
      }),
  }
}

const ended = failure('internal', 'The process that writes to the disk stopped, so nothing was saved.', {
  advice: 'It restarts automatically. Try again.',
  retryable: true,
})

const diskFailure = ({ isFull, message }: StateReply & { ok: false }): Failure =>
  failure(
    isFull ? 'disk-full' : 'internal',
    isFull
      ? "The latest change couldn't be written to disk, so it wasn't saved: the disk is full or refuses writes."
      : "What Slipway keeps on disk couldn't be read or written, so the latest change wasn't saved.",
    {
      advice: `Free up disk space or fix the permissions of Slipway's folder, then try again. (${message})`,
      retryable: true,
    },
  )

const setAsideText = ({ reason, name }: StateAside): string =>
  (reason === 'wrong-key'
    ? "Slipway's data couldn't be read: the keychain doesn't have its key any more."
    : "Slipway's data couldn't be read: its file is damaged.") +
  ` The file was kept as ${name} in Slipway's folder, and a new one was started, without the earlier journal, drafts, ` +
  'favourites, labels, notes, views and watches. Before you create a deployment again whose result was unconfirmed, ' +
  'look for it in the list.'
