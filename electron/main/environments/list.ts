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
import { z } from 'zod'
import { Sequencer } from '../async'
import { readJson, type TellSetAside, writeAtomically } from '../files'
import type { BuiltInService } from '../processes/built-in-service'
import { accountIdentity, builtInEnvironment, builtInMode } from './identity'
import { gone, notReadYet } from './failures'
import { type ReadEntry, targetOf, viewOf } from './profile'
import type { EnvironmentsState } from '.'

/**
 * The file beside the keychain: identifiers and names of environments, and nothing of their profiles.
 */
const environmentIndexSchema = z.strictObject({
  version: z.literal(1).default(1),
  environments: z.array(z.strictObject({ id: z.string().min(1), name: z.string() })).default([]),
  current: z.string().default(builtInEnvironments.cloud.id),
  /** Integrations that were used with a built-in environment, newest first. */
  integrations: z.record(z.string(), z.array(z.string())).default({}),
})

type EnvironmentIndex = z.infer<typeof environmentIndexSchema>

/** An environment that the operator added. `problem` says why it has no profile. */
export interface OwnEnvironment {
  readonly id: string
  readonly name: string
  readonly storage: 'keychain' | 'session'
  readonly profile: EnvironmentProfile | null
  readonly problem: Failure | null
}

/**
 * The environments that Slipway knows, the current one, and what the keychain answered last. A file stores their names,
 * and nothing of their profiles. `write` writes changes to the disk; `emit` and `noteKeychain` report them to listeners,
 * so that an operation with several changes reports them together.
 */
export class EnvironmentList {
  readonly #own = new Map<string, OwnEnvironment>()
  /** Integrations that were used with the built-in environments. */
  readonly #integrations: EnvironmentIndex['integrations']
  #current: string
  #keychain: KeychainState = { state: 'unknown', message: null }
  readonly #path: string
  readonly #writes = new Sequencer()
  readonly #listeners = new Set<(state: EnvironmentsState) => void>()

  /** Reads the file in `userDataFolder` synchronously. */
  constructor(
    userDataFolder: string,
    private readonly builtIn: BuiltInService,
    setAside: TellSetAside,
  ) {
    this.#path = join(userDataFolder, 'environments.json')
    const index = readJson(this.#path, (value) => environmentIndexSchema.parse(value), setAside)
    for (const { id, name } of index.environments) {
      this.#own.set(id, { id, name, storage: 'keychain', profile: null, problem: notReadYet })
    }
    this.#integrations = index.integrations
    this.#current = this.has(index.current) ? index.current : builtInEnvironments.cloud.id
    builtIn.onChange(() => this.emit())
  }

  get current(): string {
    return this.#current
  }

  get keychain(): KeychainState {
    return this.#keychain
  }

  /** Whether an environment is listed, a built-in one included. */
  has(id: string): boolean {
    return builtInMode(id) !== null || this.#own.has(id)
  }

  /** An environment that the operator added. */
  find(id: string): OwnEnvironment | undefined {
    return this.#own.get(id)
  }

  /** The environments that the operator added. */
  own(): OwnEnvironment[] {
    return [...this.#own.values()]
  }

  /** Integrations that were used with a built-in environment. */
  integrationsOf(builtInId: string): readonly string[] {
    return this.#integrations[builtInId] ?? []
  }

  setIntegrations(builtInId: string, integrations: string[]): void {
    this.#integrations[builtInId] = integrations
  }

  /** Whether another environment has the name. */
  isNameTaken(name: string, id: string): boolean {
    return [
      ...environmentModes.map((mode) => builtInEnvironments[mode]),
      ...this.own().filter((environment) => environment.id !== id),
    ].some((other) => foldName(other.name) === foldName(name))
  }

  /** What the window shows. */
  state(): EnvironmentsState {
    const builtIns = environmentModes.map((mode) =>
      builtInEnvironment(
        mode,
        this.builtIn.running(mode)?.baseUrl ?? null,
        builtInServiceOf(builtInEnvironments[mode].id),
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

  /** Writes the file. Gives what prevented that, or null. */
  async write(): Promise<Failure | null> {
    const index: EnvironmentIndex = {
      version: 1,
      environments: this.own().flatMap(({ id, name, storage }) =>
        storage === 'keychain' ? { id, name } : [],
      ),
      current: this.#current,
      integrations: this.#integrations,
    }
    try {
      await this.#writes.queue(() => writeAtomically(this.#path, JSON.stringify(index, null, 2)))
      return null
    } catch (error) {
      return failure(
        'internal',
        "The list of environments couldn't be written to disk, so the next start won't know of this.",
        {
          advice: `Free some space or fix the permissions of Slipway's folder, then try again. (${String(error)})`,
          retryable: true,
        },
      )
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
    this.#own.set(id, { id, name: profile.name, storage, profile, problem: null })
  }

  remove(id: string): void {
    this.#own.delete(id)
    if (this.#current === id) this.#current = builtInEnvironments.cloud.id
  }

  /** Applies the keychain's entry for an environment; null if it has none. */
  setEntry(id: string, entry: ReadEntry | null): void {
    const environment = this.#own.get(id)
    if (!environment) return
    if (entry?.ok) this.put(id, entry.profile, 'keychain')
    else {
      const problem = entry ? failure('not-allowed', entry.problem) : gone
      this.#own.set(id, { ...environment, profile: null, problem })
    }
  }

  /** Notes why profiles couldn't be read, for every environment that still waits for the keychain. */
  failReading(problem: Failure): void {
    for (const environment of this.own()) {
      if (waitsForKeychain(environment)) this.#own.set(environment.id, { ...environment, problem })
    }
  }
}

/** Whether an environment has no profile because the keychain couldn't be read. */
export const waitsForKeychain = ({ problem }: OwnEnvironment): boolean =>
  problem?.code.startsWith('keychain-') ?? false

/** The `service` of a built-in environment: it never leads elsewhere. */
export const builtInServiceOf = (environmentId: string): string =>
  accountIdentity({ environmentId, baseUrl: '', headers: {} })

/** The `service` of an environment with this profile. */
export const serviceOf = (id: string, profile: EnvironmentProfile): string =>
  accountIdentity(targetOf(id, profile))

/** What was shown before; an environment that is edited is another object. */
const shown = new WeakMap<OwnEnvironment, Environment>()

/** An environment as the window shows it. */
export function show(own: OwnEnvironment): Environment {
  const { id, name, storage, profile, problem } = own
  const view = shown.get(own) ?? {
    ...{ id, name, storage },
    profile: profile && viewOf(profile),
    service: profile && serviceOf(id, profile),
    problem: problem && failureText(problem),
  }
  shown.set(own, view)
  return view
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
