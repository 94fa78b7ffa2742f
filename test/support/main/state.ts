import { fail, failure, succeed } from '@contract'
import { valueOf } from './environments'
import type { StateOp, StateReply, StateRow, StateTable } from '../../../electron/cache/protocol'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createStateHandler } from '../../../electron/cache/state'
import type { Environments } from '../../../electron/main/environments'
import { accountIdentity } from '../../../electron/main/environments/known'
import type { CreationDrafts } from '../../../electron/main/features/deployments/creation'
import type { FileKeys } from '../../../electron/main/processes/keychain'
import type { RunningStore } from '../../../electron/main/processes/store-process'
import type { Journal } from '../../../electron/main/stored/journal'
import { type Personal, createPersonal } from '../../../electron/main/stored/personal'
import { type State, createState } from '../../../electron/main/stored/state'

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
    timer: null,
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

const missing = async () => fail(failure('keychain-missing', 'None.'))

/** `state.db` on a machine without a keychain: everything but the journal stays in memory. */
export const withoutState: State = {
  read: missing,
  write: missing,
  unlock: missing,
  isUnlocked: () => false,
  exists: () => false,
}

/** Creations of requests that have the values of their secrets, not marks. */
export const withoutDrafts: CreationDrafts = {
  settle: () => Promise.resolve(),
  fillIn: succeed,
}

/** The environment of the tests' entries. */
export const place = { environmentId: 'e', environmentName: 'Production' }

/** The same for entries of calls, without the account. */
export const calledPlace = { ...place, account: null }

/** Begins a creation with a name. Returns its identifier. */
export const begin = (journal: Journal, name = 'agent'): Promise<string> =>
  journal.beginCreation(place, {
    name,
    source: 'repohost',
    service: 'service',
    sent: null,
  })

/** Opens what operators keep, as a start does. */
export const openPersonalIn = (
  folder: string,
  exists: (environmentId: string) => boolean = () => true,
): Personal =>
  createPersonal({
    state: stateIn(folder),
    exists,
    mayAsk: () => true,
    changed: () => undefined,
    report: () => undefined,
  })

/** The environments that have personal data. */
export async function environmentsWithData(personal: Personal): Promise<string[]> {
  const content = await personal.content()
  const { services, views, agents, lastFilters, offers, recent } = valueOf(content)
  const ids = [
    ...[...services, ...views, ...agents, ...lastFilters, ...offers].map(
      ({ environmentId }) => environmentId,
    ),
    ...recent.map(({ kind, id, of }) => (kind === 'environment' ? id : of?.environmentId)),
  ]
  return [...new Set(ids.filter((id) => id != null))]
}

/** Where an environment leads. */
export interface Leads {
  baseUrl: string
  headers: Record<string, string>
}

/** Environments that lead where `leads` says at that moment. An environment that isn't in `leads` is gone. */
export function environmentsLeading(leads: Map<string, Leads>) {
  const serviceOf = (id: string): string => accountIdentity({ environmentId: id, ...leads.get(id)! })
  const environments = {
    destination: (id: string) =>
      leads.has(id)
        ? { id, name: id, target: { environmentId: id, ...leads.get(id)! }, service: serviceOf(id) }
        : null,
    state: () => ({ environments: [...leads.keys()].map((id) => ({ id, service: serviceOf(id) })) }),
    ready: () => Promise.reject(new Error('The destination is known.')),
  } as unknown as Environments
  return { environments, serviceOf }
}
