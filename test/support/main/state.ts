import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { succeed } from '@contract'
import type { StateOp, StateReply, StateRow, StateTable } from '@contract/app/processes'
import { createStateHandler } from '../../../electron/cache/state'
import type { FileKeys } from '../../../electron/main/processes/keychain/file-keys'
import type { RunningStore } from '../../../electron/main/processes/store-process'
import { createState, type State } from '../../../electron/main/stored/state'

/** The key of the file in tests. */
export const stateKey = 'ab'.repeat(32)

interface StateHereOptions {
  /** How the keychain gives the key. */
  keyFor?: FileKeys['keyFor']
  notice?: (text: string) => void
  unlockedLate?: () => void
  timeLimits?: { plain: number; sealed: number }
  /** Waited for before each write. */
  beforeWrite?: () => Promise<void>
  /** Whether the disk refuses a request. */
  refuses?: (op: StateOp) => boolean
}

/** `state.db` in a folder as a new start opens it, in the test's own process. */
export function stateIn(folder: string, options: StateHereOptions = {}): State {
  const { keyFor = async () => succeed(stateKey), notice = () => undefined, timeLimits } = options
  const { unlockedLate = () => undefined } = options
  const { beforeWrite, refuses = () => false } = options
  const answer = createStateHandler()
  const running: RunningStore = {
    process: {
      postMessage: () => undefined,
      onMessage: () => undefined,
      onExit: () => undefined,
      kill: () => undefined,
    },
    waiting: new Map(),
  }
  return createState({
    file: join(folder, 'state.db'),
    keys: { keyFor },
    notice,
    unlockedLate,
    timeLimits,
    process: {
      start: () => running,
      async sendState(_to, request) {
        if (request.op === 'write') await beforeWrite?.()
        return refuses(request.op) ? full : answer(request)
      },
    },
  })
}

const full: StateReply = { ok: false, isFull: true, message: 'ENOSPC', setAside: null }

/** What a table has on the disk. */
export function storedIn(folder: string, table: StateTable, key = stateKey): StateRow[] {
  const answer = createStateHandler()
  answer({ op: 'open', file: join(folder, 'state.db') })
  answer({ op: 'unlock', key })
  const reply = answer({ op: 'read', table })
  return reply.ok ? (reply.value as { rows: StateRow[] }).rows : []
}

/** What the files of the database have. */
export const bytesIn = (folder: string): string =>
  ['', '-wal'].map((suffix) => readFileSync(join(folder, `state.db${suffix}`), 'latin1')).join('')
