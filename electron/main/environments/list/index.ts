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
  failureText,
  foldName,
} from '@contract'
import type { EnvironmentIndex } from '@contract/app/environment'
import type { BuiltInService } from '../../processes/built-in-service'
import type { Files } from '../../files'
import { builtInEnvironment, builtInMode } from '../model/built-in'
import { gone, notReadYet } from '../model/failures'
import { type IndexFile, openIndexFile } from './index-file'
import type { EnvironmentsState } from '../model/types'
import { type ReadEntry, targetOf, viewOf } from '../profile'
import { accountIdentity } from '../model/service-identity'

/**
 * The key of hashes in this run. They tell the page that an environment leads to another service or account, but not
 * where it leads.
 */
const sessionSalt = randomBytes(32).toString('hex')

/** An environment that the operator added. `problem` says why it has no profile. */
export interface OwnEnvironment {
  readonly id: string
  readonly name: string
  readonly storage: 'keychain' | 'session'
  readonly profile: EnvironmentProfile | null
  readonly problem: Failure | null
}

/**
 * The environments that Slipway knows, the current one, and what the keychain answered last. The index on disk stores
 * the list. Listeners get its state. `write` writes changes to the disk. `emit` and `noteKeychain` report them to
 * listeners: an operation with several changes reports them together.
 */
export class EnvironmentList {
  readonly #own = new Map<string, OwnEnvironment>()
  /** Environments whose save was interrupted, by identifier, with their names: the keychain may have an entry. */
  readonly #unfinished = new Map<string, string>()
  /** Integrations that were used with the built-in environments. */
  readonly #integrations: EnvironmentIndex['integrations']
  #current: string
  #mustSearch: boolean
  #isWritten = true
  #keychain: KeychainState = { state: 'unknown', message: null }
  readonly #file: IndexFile
  readonly #folder: string
  readonly #builtIn: BuiltInService
  readonly #listeners = new Set<(state: EnvironmentsState) => void>()

  /** Reads the index in `userDataFolder` synchronously. */
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
      this.#own.set(id, { id, name, storage: 'keychain', profile: null, problem: notReadYet })
    }
    for (const { id, name } of unfinished) this.#unfinished.set(id, name)
    this.#integrations = { ...integrations }
    this.#mustSearch = rebuild
    this.#current = this.has(current) ? current : builtInEnvironments.cloud.id
    builtIn.onChange(() => this.emit())
  }

  /** Whether the list has every environment: the index was readable, and the keychain needn't be searched. */
  get isComplete(): boolean {
    return this.#file.wasRead && !this.#mustSearch
  }

  /** Whether the index lost entries, so that the keychain has to be searched for them. */
  get mustSearch(): boolean {
    return this.#mustSearch
  }

  get current(): string {
    return this.#current
  }

  get keychain(): KeychainState {
    return this.#keychain
  }

  /** Whether the last write of the index succeeded. */
  get isWritten(): boolean {
    return this.#isWritten
  }

  /** How many environments the operator has, including those whose save was interrupted. */
  get count(): number {
    return new Set([...this.#own.keys(), ...this.#unfinished.keys()]).size
  }

  /** Whether an environment is listed, a built-in one included. */
  has(id: string): boolean {
    return builtInMode(id) !== null || this.#own.has(id)
  }

  /** Whether an environment is listed, or its save was interrupted. */
  mayHave(id: string): boolean {
    return this.has(id) || this.#unfinished.has(id)
  }

  /** An environment that the operator added. */
  find(id: string): OwnEnvironment | undefined {
    return this.#own.get(id)
  }

  /** The environments that the operator added; with `where`, only those stored there. */
  own(where?: OwnEnvironment['storage']): OwnEnvironment[] {
    return [...this.#own.values()].filter(({ storage }) => where === undefined || storage === where)
  }

  /** Environments whose save was interrupted: identifiers and names. */
  unfinished(): [id: string, name: string][] {
    return [...this.#unfinished]
  }

  /** Integrations that were used with a built-in environment. */
  integrationsOf(builtInId: string): readonly string[] {
    return this.#integrations[builtInId] ?? []
  }

  /** Whether another environment has the name. */
  isNameTaken(name: string, id: string | null): boolean {
    return this.#namesOfOthers(id).has(foldName(name))
  }

  /** What the window shows. */
  state(): EnvironmentsState {
    const builtIns = environmentModes.map((mode) =>
      builtInEnvironment(
        mode,
        this.#builtIn.running(mode)?.baseUrl ?? null,
        this.integrationsOf(builtInEnvironments[mode].id),
      ),
    )
    return {
      environments: [...builtIns, ...this.own().map(show)],
      currentEnvironmentId: this.#current,
      keychain: this.#keychain,
    }
  }

  /** Calls `listener` after every change. Gives the function that removes it. */
  onChange(listener: (state: EnvironmentsState) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Gives the listeners the state. */
  emit(): void {
    const state = this.state()
    for (const listener of this.#listeners) listener(state)
  }

  /** Notes the failure of the last call of the keychain, or null if it succeeded, and emits the state. */
  noteKeychain(reason: Failure | null): void {
    this.#keychain = stateAfter(reason)
    this.emit()
  }

  /** Writes the index to disk. Gives what prevented that, or null. */
  async write(): Promise<Failure | null> {
    try {
      await this.#file.write({
        version: 1,
        environments: this.own('keychain').map(({ id, name }) => ({ id, name })),
        unfinished: this.unfinished().map(([id, name]) => ({ id, name })),
        current: this.#current,
        integrations: this.#integrations,
        rebuild: this.#mustSearch,
      })
      this.#isWritten = true
      return null
    } catch (error) {
      this.#isWritten = false
      return failure('internal', "The list of environments couldn't be written to disk.", {
        advice: `Free some space or fix the permissions of ${this.#folder}, then try again. (${String(error)})`,
        retryable: true,
      })
    }
  }

  select(id: string): void {
    this.#current = id
  }

  /** Puts the environments that the operator added into an order; those that it doesn't name come after them. */
  reorder(ids: readonly string[]): void {
    const before = new Map(this.#own)
    this.#own.clear()
    for (const id of [...ids, ...before.keys()]) {
      const environment = before.get(id)
      if (environment) this.#own.set(id, environment)
    }
  }

  /** Adds or replaces an environment whose profile is in the keychain, or only in this session. */
  put(id: string, profile: EnvironmentProfile, storage: OwnEnvironment['storage']): void {
    if (storage === 'keychain') this.#unfinished.delete(id)
    this.#own.set(id, { id, name: profile.name, storage, profile, problem: null })
  }

  /** Replaces the profile of an environment that is listed. */
  updateProfile(id: string, profile: EnvironmentProfile): void {
    this.#update(id, { profile })
  }

  remove(id: string): void {
    this.#own.delete(id)
    if (this.#current === id) this.#current = builtInEnvironments.cloud.id
  }

  /**
   * Notes that a save begins: until it ends, the keychain may have an entry. Gives the function that undoes the note.
   */
  beginSave(id: string, name: string): () => void {
    const earlier = this.#unfinished.get(id)
    this.#unfinished.set(id, name)
    return () => {
      if (earlier === undefined) this.#unfinished.delete(id)
      else this.#unfinished.set(id, earlier)
    }
  }

  /** Ends an interrupted save with what the keychain has: an entry, or null, which means that nothing was saved. */
  endInterruptedSave(id: string, entry: ReadEntry | null): void {
    if (entry) this.add(id, entry, this.#unfinished.get(id) ?? id)
    this.#unfinished.delete(id)
  }

  /** Adds an environment that was found in the keychain; `name` is for an entry that can't be read. */
  add(id: string, entry: ReadEntry, name: string): void {
    this.#own.set(id, { id, name, storage: 'keychain', profile: null, problem: null })
    this.setEntry(id, entry)
  }

  /** Applies the keychain's entry for an environment; null if it has none. */
  setEntry(id: string, entry: ReadEntry | null): void {
    const environment = this.#own.get(id)
    if (!environment) return
    this.#update(id, {
      name: this.#freeName(entry?.ok ? entry.profile.name : environment.name, id),
      profile: entry?.ok ? entry.profile : null,
      problem: entry?.ok ? null : entry ? failure('not-allowed', entry.problem) : gone,
    })
  }

  /** Notes why profiles couldn't be read, for every environment that still waits for the keychain. */
  failReading(problem: Failure): void {
    for (const environment of this.own()) {
      if (waitsForKeychain(environment)) this.#update(environment.id, { problem })
    }
  }

  /** Notes whether the keychain has to be searched for environments that the index lost. */
  setMustSearch(mustSearch: boolean): void {
    this.#mustSearch = mustSearch
  }

  setIntegrations(builtInId: string, integrations: string[]): void {
    this.#integrations[builtInId] = integrations
  }

  #update(id: string, change: Partial<OwnEnvironment>): void {
    const environment = this.#own.get(id)
    if (environment) this.#own.set(id, { ...environment, ...change })
  }

  #freeName(name: string, id: string): string {
    const taken = this.#namesOfOthers(id)
    let free = name
    for (let number = 2; taken.has(foldName(free)); number++) free = `${name} (${number})`
    return free
  }

  #namesOfOthers(id: string | null): Set<string> {
    const others = [
      ...environmentModes.map((mode) => builtInEnvironments[mode]),
      ...this.own().filter((environment) => environment.id !== id),
    ]
    return new Set(others.map(({ name }) => foldName(name)))
  }
}

/** Whether an environment has no profile because the keychain couldn't be read. */
export const waitsForKeychain = ({ problem }: OwnEnvironment): boolean =>
  problem?.code.startsWith('keychain-') ?? false

/** The `service` of an environment with this profile. */
export function serviceOf(id: string, profile: EnvironmentProfile): string {
  const known = services.get(profile) ?? accountIdentity(targetOf(id, profile), sessionSalt)
  services.set(profile, known)
  return known
}

/** What was computed before; a profile that is edited is another object. */
const services = new WeakMap<EnvironmentProfile, string>()

/** An environment as the window shows it. */
export function show({ id, name, storage, profile, problem }: OwnEnvironment): Environment {
  return {
    id,
    name,
    storage,
    profile: profile && viewOf(profile),
    service: profile && serviceOf(id, profile),
    problem: problem && failureText(problem),
  }
}

/** The state of the keychain after a call that failed, or succeeded (null). */
function stateAfter(reason: Failure | null): KeychainState {
  if (reason === null) return { state: 'available', message: null }
  const message = failureText(reason)
  if (reason.code === 'keychain-missing') {
    const meanwhile = 'Until then, environments that you add are kept only until Slipway closes.'
    return { state: 'missing', message: `${message} ${meanwhile}` }
  }
  return { state: reason.code === 'keychain-unresponsive' ? 'unresponsive' : 'locked', message }
}
