import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import {
  type Environment,
  type EnvironmentInput,
  type EnvironmentProfile,
  type Failure,
  type FieldIssue,
  type KeychainState,
  type Outcome,
  builtInEnvironments,
  environmentModes,
  fail,
  failure,
  succeed,
} from '@contract'
import type { EnvironmentIndex } from '@contract/environment-index'
import type { BuiltInService } from '../built-in-service'
import type { HttpClient } from '../http/port'
import { noAnswer } from '../keychain/failures'
import type { Keychain } from '../keychain/port'
import { untilAborted } from './abort'
import { builtInEnvironment, builtInMode } from './built-in'
import { checkConnection } from './check'
import { openIndexFile } from './index-file'
import type { Environments, EnvironmentsState, ReadyEnvironment } from './port'
import { type ReadEntry, headersOf, profileOf, viewOf } from './profile'
import { createProfileStore } from './profile-store'
import { createTurns } from './turns'

export type { Environments } from './port'

export interface EnvironmentsOptions {
  keychain: Keychain
  builtIn: BuiltInService
  http: HttpClient
  /** Where `environments.json` is kept. */
  userDataFolder: string
  /** How long anyone waits for the keychain before being told that it does not answer, in milliseconds. */
  patienceMs?: number
}

/** An environment of the user's own. `problem` says why there is no profile. */
interface OwnEnvironment {
  id: string
  name: string
  kept: 'keychain' | 'session'
  profile: EnvironmentProfile | null
  problem: Failure | null
}

/** A failed read is made again for a request only after this time, in milliseconds: each may ask for a password. */
const readAgainAfterMs = 2_000

const mostIntegrations = 200

const notReadYet = failure('keychain-unresponsive', 'Its profile has not been read from the keychain yet.', {
  retryable: true,
})

const gone = failure('not-found', 'Its profile is no longer in the keychain.', {
  advice: 'Someone or something has deleted it there. Enter it again, or remove the environment.',
})

/**
 * Makes the environments. Reads the index at once and nothing else; the keychain is first asked by `load`, or
 * by whoever needs a profile before.
 *
 * What changes the keychain goes keychain first, index second: a crash in between leaves an entry that the index
 * calls unfinished (found again at the next start), or a name whose entry is gone (shown, and removed again).
 */
export function createEnvironments({
  keychain,
  builtIn,
  http,
  userDataFolder,
  patienceMs = 10_000,
}: EnvironmentsOptions): Environments {
  const file = openIndexFile(join(userDataFolder, 'environments.json'), {
    version: 1,
    environments: [],
    unfinished: [],
    current: builtInEnvironments.cloud.id,
    integrations: {},
    rebuild: false,
  })
  const profiles = createProfileStore(keychain)
  const turns = createTurns(patienceMs, () => setKeychain(noAnswer(patienceMs)))

  const own = new Map<string, OwnEnvironment>()
  const unfinished = new Map<string, string>()
  const integrations: EnvironmentIndex['integrations'] = { ...file.first.integrations }
  /** Saves whose caller was told that the keychain does not answer: name to identifier. */
  const givenUp = new Map<string, string>()
  const listeners = new Set<(state: EnvironmentsState) => void>()
  let rebuild = file.first.rebuild
  let keychainState: KeychainState = { state: 'unknown', message: null }
  let loading: Promise<void> | null = null
  let readAt: number | null = null

  for (const { id, name } of file.first.environments) {
    own.set(id, { id, name, kept: 'keychain', profile: null, problem: notReadYet })
  }
  for (const { id, name } of file.first.unfinished) unfinished.set(id, name)
  let current = exists(file.first.current) ? file.first.current : builtInEnvironments.cloud.id

  builtIn.onChange(emit)

  function exists(id: string): boolean {
    return builtInMode(id) !== null || own.has(id)
  }

  // What the window shows.

  function state(): EnvironmentsState {
    const builtIns = environmentModes.map((mode) =>
      builtInEnvironment(
        mode,
        builtIn.running(mode)?.baseUrl ?? null,
        integrations[builtInEnvironments[mode].id] ?? [],
      ),
    )
    return {
      environments: [...builtIns, ...[...own.values()].map(show)],
      currentEnvironmentId: current,
      keychain: keychainState,
    }
  }

  function emit(): void {
    const now = state()
    for (const listener of listeners) listener(now)
  }

  /** Takes note of what the last call showed of the keychain; null when it answered. */
  function setKeychain(reason: Failure | null): void {
    keychainState = stateAfter(reason)
    emit()
  }

  /** Takes note of a failed outcome and gives it on. */
  function noted(outcome: { ok: false; failure: Failure }): { ok: false; failure: Failure } {
    setKeychain(outcome.failure)
    return outcome
  }

  // The index.

  async function writeIndex(): Promise<Failure | null> {
    const kept = [...own.values()].filter((environment) => environment.kept === 'keychain')
    try {
      await file.write({
        version: 1,
        environments: kept.map(({ id, name }) => ({ id, name })),
        unfinished: [...unfinished].map(([id, name]) => ({ id, name })),
        current,
        integrations,
        rebuild,
      })
      return null
    } catch (error) {
      return failure('internal', 'The list of environments could not be written to disk.', {
        advice: `Make room or mend the permissions of ${userDataFolder}, then try again. (${String(error)})`,
        retryable: true,
      })
    }
  }

  // Reading the keychain.

  /** Reads all profiles, sharing one reading that is under way. */
  async function read(byUser: boolean): Promise<void> {
    loading ??= turns
      .take(() => readProfiles(byUser))
      .then(() => undefined)
      .finally(() => (loading = null))
    await loading
  }

  async function readProfiles(byUser: boolean): Promise<void> {
    const kept = [...own.values()].filter((environment) => environment.kept === 'keychain')
    const unkept = [...own.values()].filter((environment) => environment.kept === 'session')
    const stored = kept.length > 0 || unfinished.size > 0 || rebuild
    if (!stored && !byUser) return
    const wanted = stored || unkept.length > 0 || keychainState.state === 'locked'
    const reason = await firstFailure([
      () => profiles.probe(!wanted ? 'there' : byUser ? 'certainly-open' : 'open'),
      ...kept.map((environment) => () => readProfile(environment)),
      ...[...unfinished.keys()].map((id) => () => recover(id)),
      ...(rebuild ? [searchForLost] : []),
      ...unkept.map((environment) => () => moveToKeychain(environment)),
    ])
    if (reason) {
      for (const environment of own.values()) {
        if (environment.problem?.code.startsWith('keychain-')) environment.problem = reason
      }
    }
    readAt = Date.now()
    await writeIndex()
    setKeychain(reason)
  }

  async function readProfile(environment: OwnEnvironment): Promise<Outcome<null>> {
    const entry = await profiles.read(environment.id)
    if (!entry.ok) return entry
    accept(environment, entry.value)
    return succeed(null)
  }

  /** An entry that was being written when the application ended: it is there, or it never came to be. */
  async function recover(id: string): Promise<Outcome<null>> {
    const entry = await profiles.read(id)
    if (!entry.ok) return entry
    if (entry.value) adopt(id, entry.value, unfinished.get(id) ?? id)
    unfinished.delete(id)
    return succeed(null)
  }

  /** Finds the environments again that a damaged index listed. */
  async function searchForLost(): Promise<Outcome<null>> {
    const entries = await profiles.readAll()
    if (!entries.ok) return entries
    for (const [id, entry] of entries.value)
      if (!own.has(id)) adopt(id, entry, `Environment ${id.slice(0, 8)}`)
    rebuild = false
    return succeed(null)
  }

  function adopt(id: string, entry: ReadEntry, name: string): void {
    const environment: OwnEnvironment = { id, name, kept: 'keychain', profile: null, problem: null }
    own.set(id, environment)
    accept(environment, entry)
  }

  function accept(environment: OwnEnvironment, entry: ReadEntry | null): void {
    if (entry?.ok) {
      environment.profile = entry.profile
      environment.problem = null
    } else {
      environment.profile = null
      environment.problem = entry ? failure('not-allowed', entry.problem) : gone
    }
    const name = entry?.ok ? entry.profile.name : (entry?.name ?? environment.name)
    environment.name = freeName(name, environment.id)
  }

  async function moveToKeychain(environment: OwnEnvironment): Promise<Outcome<null>> {
    if (!environment.profile) return succeed(null)
    return keep(environment.id, environment.profile, environment)
  }

  // Saving.

  function nameTaken(name: string, id: string | null): boolean {
    const others = [
      ...environmentModes.map((mode) => builtInEnvironments[mode]),
      ...[...own.values()].filter((environment) => environment.id !== id),
    ]
    return others.some((other) => sameName(other.name, name))
  }

  function freeName(name: string, id: string): string {
    let free = name
    for (let number = 2; nameTaken(free, id); number++) free = `${name} (${number})`
    return free
  }

  /** The identifier under which a draft is saved: its own, that of an unfinished save of the name, or a new one. */
  function identifierFor(input: EnvironmentInput): string {
    if (input.id !== null) return input.id
    for (const [id, name] of unfinished) if (sameName(name, input.name)) return id
    return givenUp.get(nameKey(input.name)) ?? randomUUID()
  }

  async function save(id: string, input: EnvironmentInput): Promise<Outcome<Environment>> {
    const known = own.get(id)
    const stored = await storedProfile(id, input)
    if (!stored.ok) return stored

    const drafted = profileOf(input, stored.value)
    const again = input.id === null && known !== undefined
    if (again && drafted.ok && JSON.stringify(drafted.profile) === JSON.stringify(stored.value)) {
      return succeed(show(known))
    }
    const issues = drafted.ok ? sizeIssues(drafted.profile) : drafted.issues
    if (nameTaken(input.name, again ? null : id)) {
      issues.unshift({ path: ['name'], message: 'Another environment has this name.' })
    }
    if (!drafted.ok || issues.length > 0) return invalid('The environment cannot be saved as it is.', issues)

    const kept = await keep(id, drafted.profile, known)
    if (!kept.ok) return kept
    const saved = own.get(id)
    return saved ? succeed(show(saved)) : fail(notFound())
  }

  /**
   * The profile that a draft changes: as the keychain has it now, so that an entry which a newer Slipway has
   * written since, or which is damaged, is not overwritten.
   */
  async function storedProfile(
    id: string,
    input: EnvironmentInput,
  ): Promise<Outcome<EnvironmentProfile | null>> {
    const known = own.get(id)
    if (!known) return input.id === null ? succeed(null) : fail(notFound())
    if (known.kept === 'session') return succeed(known.profile)
    const entry = await profiles.read(id)
    if (!entry.ok) return noted(entry)
    if (keychainState.state !== 'available') setKeychain(null)
    if (entry.value === null) return succeed(null)
    if (entry.value.ok) return succeed(entry.value.profile)
    accept(known, entry.value)
    emit()
    return fail(
      failure('not-allowed', 'This environment cannot be changed.', { advice: entry.value.problem }),
    )
  }

  /** Puts a profile into the keychain and its name into the index; for the session where there is no keychain. */
  async function keep(
    id: string,
    profile: EnvironmentProfile,
    known: OwnEnvironment | undefined,
  ): Promise<Outcome<null>> {
    const isNew = known?.kept !== 'keychain'
    // An earlier save of it may have been done or not, whatever comes of this one.
    const earlier = unfinished.get(id)
    const asBefore = (): void => {
      if (earlier === undefined) unfinished.delete(id)
      else unfinished.set(id, earlier)
    }
    if (isNew) {
      unfinished.set(id, profile.name)
      const reason = await writeIndex()
      if (reason) {
        asBefore()
        return fail(reason)
      }
    }
    const written = await profiles.write(id, profile)
    if (!written.ok && written.failure.code === 'keychain-missing' && isNew) {
      asBefore()
      own.set(id, { id, name: profile.name, kept: 'session', profile, problem: null })
      await writeIndex()
      setKeychain(written.failure)
      return succeed(null)
    }
    if (!written.ok) {
      // Without an answer it is not known whether the entry was written; then it stays unfinished.
      if (isNew && written.failure.code !== 'keychain-unresponsive') asBefore()
      await writeIndex()
      return noted(written)
    }
    unfinished.delete(id)
    own.set(id, { id, name: profile.name, kept: 'keychain', profile, problem: null })
    const reason = await writeIndex()
    setKeychain(null)
    return reason ? fail(reason) : succeed(null)
  }

  function sizeIssues(profile: EnvironmentProfile): FieldIssue[] {
    const limit = keychain.entryLimit
    const size = Buffer.byteLength(JSON.stringify(profile))
    if (limit === null || size <= limit) return []
    const bytes = (number: number): string => number.toLocaleString('en-GB')
    return [
      {
        path: ['headers'],
        message:
          `This system's keychain holds ${bytes(limit)} bytes for an environment, and this one needs ${bytes(size)}. ` +
          'Shorten header values or take known integrations away.',
      },
    ]
  }

  // Removing.

  async function remove(id: string): Promise<Outcome<null>> {
    const environment = own.get(id)
    if (!environment) return fail(notFound())
    if (environment.kept === 'keychain') {
      const erased = await profiles.erase(id)
      if (!erased.ok) return noted(erased)
    }
    await http.forget(id)
    own.delete(id)
    if (current === id) current = builtInEnvironments.cloud.id
    const reason = await writeIndex()
    if (environment.kept === 'keychain') setKeychain(null)
    else emit()
    return reason ? fail(reason) : succeed(null)
  }

  // Being ready to call a service.

  async function ready(id: string): Promise<Outcome<ReadyEnvironment>> {
    const mode = builtInMode(id)
    if (mode) {
      const service = await builtIn.start(mode)
      if (!service.ok) return service
      return succeed({
        id,
        name: builtInEnvironments[mode].name,
        mode,
        protected: false,
        target: {
          environmentId: id,
          baseUrl: service.value.baseUrl,
          headers: { 'X-Api-Key': service.value.apiKey },
        },
      })
    }
    const profile = await profileFor(id)
    if (!profile.ok) return profile
    const { name, mode: ownMode, protected: isProtected, baseUrl } = profile.value
    return succeed({
      id,
      name: own.get(id)?.name ?? name,
      mode: ownMode,
      protected: isProtected,
      target: { environmentId: id, baseUrl, headers: headersOf(profile.value) },
    })
  }

  /** The profile of an environment, read from the keychain where that has not been done. */
  async function profileFor(id: string): Promise<Outcome<EnvironmentProfile>> {
    const mayRead = readAt === null || Date.now() - readAt > readAgainAfterMs
    const unread = own.get(id)
    if (unread && !unread.profile && unread.problem?.code.startsWith('keychain-') && mayRead)
      await read(false)
    const environment = own.get(id)
    if (!environment) return fail(notFound())
    if (environment.profile) return succeed(environment.profile)
    return fail(turns.overdue() ? noAnswer(patienceMs) : (environment.problem ?? gone))
  }

  async function remember(id: string, integrationId: string): Promise<void> {
    const environment = own.get(id)
    const entry = environment?.kept === 'keychain' ? await profiles.read(id) : null
    const stored = entry ? (entry.ok && entry.value?.ok ? entry.value.profile : null) : environment?.profile
    if (!environment || !stored || stored.integrations.includes(integrationId)) return
    const profile = {
      ...stored,
      integrations: [integrationId, ...stored.integrations].slice(0, mostIntegrations),
    }
    if (sizeIssues(profile).length > 0) return
    if (environment.kept === 'keychain' && !(await profiles.write(id, profile)).ok) return
    environment.profile = profile
    emit()
  }

  return {
    state,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    load: () => read(false),

    async save(input) {
      if (input.id !== null && builtInMode(input.id)) return fail(builtInIsFixed('changed'))
      const id = identifierFor(input)
      const turn = await turns.take(() => save(id, input))
      if (!turn.waited) {
        if (input.id === null) givenUp.set(nameKey(input.name), id)
        return fail(noAnswer(patienceMs))
      }
      if (turn.result.ok) givenUp.delete(nameKey(input.name))
      return turn.result
    },

    async remove(id) {
      if (builtInMode(id)) return fail(builtInIsFixed('removed'))
      const turn = await turns.take(() => remove(id))
      return turn.waited ? turn.result : fail(noAnswer(patienceMs))
    },

    async select(id) {
      if (!exists(id)) return fail(notFound())
      if (current === id) return succeed(null)
      current = id
      emit()
      // A full disk keeps nobody from switching; it is only not remembered.
      await writeIndex()
      return succeed(null)
    },

    async check(input, signal) {
      if (input.id !== null && builtInMode(input.id)) return fail(builtInIsFixed('changed'))
      let stored: EnvironmentProfile | null = null
      if (input.id !== null && input.headers.some(({ value }) => value === null)) {
        const profile = await untilAborted(profileFor(input.id), signal)
        if (!profile.ok) return profile
        stored = profile.value
      }
      const drafted = profileOf(input, stored)
      if (!drafted.ok) return invalid('The connection cannot be checked like this.', drafted.issues)
      return checkConnection(http, drafted.profile, signal)
    },

    async retryKeychain() {
      // Whoever asks again does not want to wait for the call that hangs.
      if (turns.overdue()) {
        keychain.giveUp()
        await turns.underWay()
      }
      if (loading) await loading
      await read(true)
      return succeed(keychainState)
    },

    ready: (id, signal) => untilAborted(ready(id), signal),

    async rememberIntegration(id, integrationId) {
      if (builtInMode(id)) {
        const known = integrations[id] ?? []
        if (known.includes(integrationId)) return
        integrations[id] = [integrationId, ...known].slice(0, mostIntegrations)
        emit()
        await writeIndex()
      } else if (!own.get(id)?.profile?.integrations.includes(integrationId)) {
        await turns.take(() => remember(id, integrationId))
      }
    },

    async close() {
      keychain.close()
      await Promise.all([builtIn.close(), turns.idle().then(() => writeIndex())])
    },
  }
}

/** Does one piece after the other until one fails; gives its failure. */
async function firstFailure(work: (() => Promise<Outcome<null>>)[]): Promise<Failure | null> {
  for (const piece of work) {
    const outcome = await piece()
    if (!outcome.ok) return outcome.failure
  }
  return null
}

function show({ id, name, kept, profile, problem }: OwnEnvironment): Environment {
  return {
    id,
    name,
    kept,
    profile: profile && viewOf(profile),
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

/** Names are the same when people would call them so: upper or lower case and composition do not count. */
function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase()
}

function sameName(one: string, other: string): boolean {
  return nameKey(one) === nameKey(other)
}

function notFound(): Failure {
  return failure('not-found', 'This environment is no longer there.', {
    advice: 'It has been removed. Choose another one.',
  })
}

function builtInIsFixed(what: 'changed' | 'removed'): Failure {
  return failure('not-allowed', `A built-in environment cannot be ${what}.`, {
    advice: 'Add an environment of your own instead.',
  })
}

function invalid(message: string, issues: FieldIssue[]): Outcome<never> {
  return fail(failure('invalid-input', message, { issues }))
}
