import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import {
  type Environment,
  type EnvironmentProfile,
  type Failure,
  type KeychainState,
  builtInEnvironments,
  environmentModes,
  failure,
} from '@contract'
import type { EnvironmentIndex } from '@contract/app/environment-index'
import type { BuiltInService } from '../../built-in-service'
import type { Files } from '../../files'
import { builtInEnvironment, builtInMode } from '../built-in'
import { gone, notReadYet } from '../failures'
import { type IndexFile, openIndexFile } from './index-file'
import { nameKey } from './names'
import type { EnvironmentsState } from '../types'
import { headersOf, networkOf, type ReadEntry, viewOf } from '../profile'
import { accountIdentity } from '../service-identity'

/** The page learns which environments lead to another service or account than before, and nothing of where that is. */
const sessionSalt = randomBytes(32).toString('hex')

/** An environment of the user's own. `problem` says why there is no profile. */
export interface OwnEnvironment {
  id: string
  name: string
  kept: 'keychain' | 'session'
  profile: EnvironmentProfile | null
  problem: Failure | null
}

/** What is known of the environments, what the window is told of it, and the index on disk that remembers it. */
export class Registry {
  readonly own = new Map<string, OwnEnvironment>()
  /** Entries that may be in the keychain or not, since their writing did not end: identifier to name. */
  readonly unfinished = new Map<string, string>()
  /** Integrations that were used with the built-in environments. */
  readonly integrations: EnvironmentIndex['integrations']
  current: string
  /** Whether a damaged index was set aside, and the keychain has to be searched for what it listed. */
  rebuild: boolean
  #isWritten = true
  #keychain: KeychainState = { state: 'unknown', message: null }
  readonly #file: IndexFile
  readonly #folder: string
  readonly #builtIn: BuiltInService
  readonly #listeners = new Set<(state: EnvironmentsState) => void>()

  /** Reads the index in `userDataFolder` at once. */
  constructor(userDataFolder: string, builtIn: BuiltInService, files?: Files) {
    this.#folder = userDataFolder
    this.#builtIn = builtIn
    const empty: EnvironmentIndex = {
      version: 1,
      environments: [],
      unfinished: [],
      current: builtInEnvironments.cloud.id,
      integrations: {},
      rebuild: false,
    }
    this.#file = openIndexFile(join(userDataFolder, 'environments.json'), empty, files)
    const { environments, unfinished, current, integrations, rebuild } = this.#file.first
    for (const { id, name } of environments) {
      this.own.set(id, { id, name, kept: 'keychain', profile: null, problem: notReadYet })
    }
    for (const { id, name } of unfinished) this.unfinished.set(id, name)
    this.integrations = { ...integrations }
    this.rebuild = rebuild
    this.current = this.exists(current) ? current : builtInEnvironments.cloud.id
    builtIn.onChange(() => this.emit())
  }

  /** Whether a newer Slipway has written the index, which is then left as it is. */
  get indexIsNewer(): boolean {
    return this.#file.newer
  }

  exists(id: string): boolean {
    return builtInMode(id) !== null || this.own.has(id)
  }

  /** Whether the list has every environment: the index was there and in order, and none has to be searched for. */
  get isComplete(): boolean {
    return this.#file.wasRead && !this.rebuild
  }

  /** Whether an identifier is that of an environment, or of one that is being added. */
  mayExist(id: string): boolean {
    return this.exists(id) || this.unfinished.has(id)
  }

  keptIn(where: OwnEnvironment['kept']): OwnEnvironment[] {
    return [...this.own.values()].filter(({ kept }) => kept === where)
  }

  /** What the window shows. */
  state(): EnvironmentsState {
    const builtIns = environmentModes.map((mode) =>
      builtInEnvironment(
        mode,
        this.#builtIn.running(mode)?.baseUrl ?? null,
        this.integrations[builtInEnvironments[mode].id] ?? [],
      ),
    )
    return {
      environments: [...builtIns, ...[...this.own.values()].map(show)],
      currentEnvironmentId: this.current,
      keychain: this.#keychain,
    }
  }

  /** Calls `listener` after every change; gives the function that ends this. */
  onChange(listener: (state: EnvironmentsState) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  emit(): void {
    const now = this.state()
    for (const listener of this.#listeners) listener(now)
  }

  get keychain(): KeychainState {
    return this.#keychain
  }

  /** Takes note of what the last call showed of the keychain; null when it answered. */
  setKeychain(reason: Failure | null): void {
    this.#keychain = stateAfter(reason)
    this.emit()
  }

  /** Takes note of a failed outcome of the keychain and gives it on. */
  noted(outcome: { ok: false; failure: Failure }): { ok: false; failure: Failure } {
    this.setKeychain(outcome.failure)
    return outcome
  }

  /** Whether the index on disk is as it was last to be written. */
  get isWritten(): boolean {
    return this.#isWritten
  }

  /** Writes the index to disk; gives what kept it from that, or null. */
  async write(): Promise<Failure | null> {
    try {
      await this.#file.write({
        version: 1,
        environments: this.keptIn('keychain').map(({ id, name }) => ({ id, name })),
        unfinished: [...this.unfinished].map(([id, name]) => ({ id, name })),
        current: this.current,
        integrations: this.integrations,
        rebuild: this.rebuild,
      })
      this.#isWritten = true
      return null
    } catch (error) {
      this.#isWritten = false
      return failure('internal', 'The list of environments could not be written to disk.', {
        advice: `Make room or mend the permissions of ${this.#folder}, then try again. (${String(error)})`,
        retryable: true,
      })
    }
  }

  /** Takes an entry that was found in the keychain for an environment of its own. `name` is for one that tells none. */
  adopt(id: string, entry: ReadEntry, name: string): void {
    const environment: OwnEnvironment = { id, name, kept: 'keychain', profile: null, problem: null }
    this.own.set(id, environment)
    this.accept(environment, entry)
  }

  /** Takes what the keychain has of an environment; null where it has nothing. */
  accept(environment: OwnEnvironment, entry: ReadEntry | null): void {
    if (entry?.ok) {
      environment.profile = entry.profile
      environment.problem = null
    } else {
      environment.profile = null
      environment.problem = entry ? failure('not-allowed', entry.problem) : gone
    }
    const name = entry?.ok ? entry.profile.name : (entry?.name ?? environment.name)
    environment.name = this.#freeName(name, environment.id)
  }

  /** Whether another environment than `id` has the name. */
  nameTaken(name: string, id: string | null): boolean {
    return this.#namesOfOthers(id).has(nameKey(name))
  }

  #freeName(name: string, id: string): string {
    const taken = this.#namesOfOthers(id)
    let free = name
    for (let number = 2; taken.has(nameKey(free)); number++) free = `${name} (${number})`
    return free
  }

  #namesOfOthers(id: string | null): Set<string> {
    const others = [
      ...environmentModes.map((mode) => builtInEnvironments[mode]),
      ...[...this.own.values()].filter((environment) => environment.id !== id),
    ]
    return new Set(others.map(({ name }) => nameKey(name)))
  }
}

/** An environment as the window shows it. */
export function show({ id, name, kept, profile, problem }: OwnEnvironment): Environment {
  return {
    id,
    name,
    kept,
    profile: profile && viewOf(profile),
    service:
      profile &&
      accountIdentity(
        {
          environmentId: id,
          baseUrl: profile.baseUrl,
          headers: headersOf(profile),
          network: networkOf(profile),
        },
        sessionSalt,
      ),
    problem: problem && [problem.message, problem.advice].filter(Boolean).join(' '),
  }
}

/** The state of the keychain after a call: what a failure means for it, or that it answered (null). */
function stateAfter(reason: Failure | null): KeychainState {
  if (reason === null) return { state: 'available', message: null }
  const message = [reason.message, reason.advice].filter(Boolean).join(' ')
  if (reason.code === 'keychain-missing') {
    const meanwhile = 'Until then, environments that you add are kept only until Slipway is closed.'
    return { state: 'missing', message: `${message} ${meanwhile}` }
  }
  return { state: reason.code === 'keychain-unresponsive' ? 'unresponsive' : 'locked', message }
}
