import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  type AppState,
  type ConnectionCheck,
  type Environment,
  type EnvironmentInput,
  type EnvironmentMode,
  type EnvironmentProfile,
  type Failure,
  type KeychainState,
  type Outcome,
  type Trust,
  builtInEnvironments,
  cancelledFailure,
  fail,
  failure,
  succeed,
} from '@contract'
import { raceCancellation, raceTimeout, Sequencer } from '../async'
import type { TellSetAside } from '../files'
import { credentialsRefusal } from '../http/trial-engine'
import type { Refusals, SeenRefusal } from '../http/trust'
import type { HttpClient, HttpTarget } from '../http/client'
import type { BuiltInService } from '../processes/built-in-service'
import { type Keychain, noAnswer } from '../processes/keychain'
import { accountIdentity, builtInMode, builtInNetwork } from './identity'
import { checkConnection } from './connection-check'
import { builtInIsFixed, cannotAsk, gone, invalid, mayBeProtected, notTrusted, refusalGone } from './failures'
import { builtInServiceOf, EnvironmentList, serviceOf, show, waitsForKeychain } from './list'
import { countIssues, createProfileStore, profileOf, sizeIssues, targetOf } from './profile'
import { isSameTrust, routeOf, whyNotUsed } from './stored-secrets'
import type { Ask } from '../window/questions'
import { trustQuestion } from './trust'

export interface EnvironmentsOptions {
  keychain: Keychain
  builtIn: BuiltInService
  http: HttpClient
  /** Refused certificates that the operator may trust. */
  refusals: Pick<Refusals, 'find'>
  /** Asks the operator outside the page. */
  ask: Ask
  /** Where `environments.json` is. */
  userDataFolder: string
  /** Deletes the other data of an environment whose keychain entry is gone. */
  forget?: (id: string) => Promise<void>
  setAside?: TellSetAside
  /** How long callers wait for the keychain, in milliseconds. */
  timeoutMs?: number
}

/**
 * What is needed to call the service of an environment. It contains header values, so it never leaves the main process.
 */
export interface ReadyEnvironment {
  id: string
  name: string
  mode: EnvironmentMode
  protected: boolean
  /** Whether nothing may be created there. */
  readOnly: boolean
  target: HttpTarget
}

/** What an environment leads to, as far as that is known now, and what stands for it in the window's state. */
export type Destination = Pick<ReadyEnvironment, 'id' | 'name' | 'target'> & { service: string }

/** The part of the window's state that environments own. */
export type EnvironmentsState = Pick<AppState, 'environments' | 'currentEnvironmentId' | 'keychain'>

/** For a request, a failed read is repeated only after this time, in milliseconds: each may ask for a password. */
const readAgainAfterMs = 2_000

const maxIntegrations = 200

/**
 * Creates the environments. Reads their names synchronously, but not the keychain: `load` or the first use reads that.
 */
export function createEnvironments(options: EnvironmentsOptions) {
  const { keychain, builtIn, http, refusals, userDataFolder, timeoutMs = 10_000 } = options
  const list = new EnvironmentList(userDataFolder, builtIn, options.setAside ?? (() => undefined))
  const profiles = createProfileStore(keychain)
  const turns = new Sequencer()
  /** Whether a caller stopped waiting for a task that still runs. None is begun meanwhile. */
  let isOverdue = false
  let reading: Promise<void> | null = null
  /** When profiles were last read, by a monotonic clock. */
  let readAt: number | null = null

  /** Runs a task after those before it. Gives undefined after the time limit: then it still takes effect. */
  async function inTurn<T>(task: () => Promise<T>): Promise<T | undefined> {
    if (isOverdue) return undefined
    const done = turns.queue(task).finally(() => (isOverdue = false))
    return await raceTimeout(done, timeoutMs, () => {
      isOverdue = true
      list.noteKeychain(noAnswer(timeoutMs))
    })
  }

  /** Reads all profiles, or joins the reading that runs. If the operator asked, the system may ask for a password. */
  function readAll(byOperator: boolean): Promise<void> {
    reading ??= inTurn(() => readProfiles(byOperator)).finally(() => (reading = null))
    return reading
  }

  async function readProfiles(byOperator: boolean): Promise<void> {
    const own = list.own()
    const stored = own.filter(({ storage }) => storage === 'keychain')
    if (stored.length === 0 && !byOperator) return
    const needsOpen = own.length > 0 || list.keychain.state === 'locked'
    const probed = await profiles.probe(!needsOpen ? 'there' : byOperator ? 'certainly-open' : 'open')
    let reason = probed.ok ? null : probed.failure
    for (const { id } of stored) {
      if (reason) break
      const entry = await profiles.read(id)
      if (entry.ok) list.setEntry(id, entry.value)
      else reason = entry.failure
    }
    for (const { id, storage, profile } of own) {
      if (reason || storage === 'keychain' || !profile) continue
      const moved = await persist(id, profile)
      if (!moved.ok) reason = moved.failure
    }
    if (reason) list.failReading(reason)
    readAt = performance.now()
    await list.write()
    list.noteKeychain(reason)
  }

  /** The profile of an environment, read from the keychain if that hasn't been done. */
  async function profileFor(id: string): Promise<Outcome<EnvironmentProfile>> {
    const mayRead = readAt === null || performance.now() - readAt > readAgainAfterMs
    const known = list.find(id)
    if (known && !known.profile && waitsForKeychain(known) && mayRead) await readAll(false)
    const environment = list.find(id)
    if (!environment) return fail(notFound())
    if (environment.profile) return succeed(environment.profile)
    return fail(isOverdue ? noAnswer(timeoutMs) : (environment.problem ?? gone))
  }

  /**
   * Writes a profile into the keychain; without one, keeps it for the session. A new name is listed first, so that a
   * crash in between leaves a name that can be removed, and no entry that nobody knows.
   */
  async function persist(id: string, profile: EnvironmentProfile): Promise<Outcome<Environment>> {
    const before = list.find(id)
    const isNew = before?.storage !== 'keychain'
    const undo = (): void => {
      if (before?.profile) list.put(id, before.profile, before.storage)
      else list.remove(id)
    }
    if (isNew) {
      list.put(id, profile, 'keychain')
      const reason = await list.write()
      if (reason) {
        undo()
        return fail(reason)
      }
    }
    const written = await profiles.write(id, profile)
    const isKept = !written.ok && written.failure.code === 'keychain-missing' && isNew
    if (written.ok || isKept) list.put(id, profile, written.ok ? 'keychain' : 'session')
    else if (isNew) undo()
    await list.write()
    list.noteKeychain(written.ok ? null : written.failure)
    const saved = list.find(id)
    return (written.ok || isKept) && saved ? succeed(show(saved)) : (written as Outcome<never>)
  }

  /** The profile that a draft changes; null if its entry was deleted, so that it can be entered again. */
  async function storedFor(id: string): Promise<Outcome<EnvironmentProfile | null>> {
    const stored = await profileFor(id)
    return !stored.ok && stored.failure === gone ? succeed(null) : stored
  }

  async function saveDraft(
    id: string,
    input: EnvironmentInput,
    stored: EnvironmentProfile | null,
  ): Promise<Outcome<Environment>> {
    const drafted = profileOf(input, stored, refusals)
    const issues = drafted.ok ? sizeIssues(drafted.profile, keychain.entryLimit) : drafted.issues
    if (!list.has(id)) issues.unshift(...countIssues(list.own().length))
    if (list.isNameTaken(input.name, id)) {
      issues.unshift({ path: ['name'], message: 'Another environment has this name.' })
    }
    if (!drafted.ok || issues.length > 0) return invalid("The environment can't be saved as it is.", issues)
    const refusal = credentialsRefusal(targetOf(id, drafted.profile))
    return refusal ? fail(refusal) : await persist(id, drafted.profile)
  }

  /** Trusts a certificate, if its service is still checked by the rule that refused it. */
  async function saveTrust(
    id: string,
    seen: SeenRefusal,
    stored: EnvironmentProfile,
  ): Promise<Outcome<Environment>> {
    const trusted: Trust = { kind: 'exact', certificate: seen.certificate }
    const route = routeOf(stored)
    const wanted = { ...route, baseUrl: seen.origin, trust: trusted }
    if (!isSameTrust(route.trust, seen.trust) || whyNotUsed(route, wanted, trusted)) {
      return fail(refusalGone())
    }
    const profile: EnvironmentProfile = { ...stored, trust: trusted }
    const issues = sizeIssues(profile, keychain.entryLimit)
    if (issues.length > 0) return invalid("The certificate can't be saved.", issues)
    return await persist(id, profile)
  }

  /** Removes an environment: first its keychain entry, then its name. `onRemoved` is called in between. */
  async function erase(
    id: string,
    confirmedName: string | null,
    onRemoved: () => void,
  ): Promise<Outcome<null>> {
    const environment = list.find(id)
    if (!environment) return fail(notFound())
    const { name, profile, storage } = environment
    if ((profile?.protected ?? true) && confirmedName !== name)
      return fail(profile ? notConfirmed(name) : mayBeProtected(name))
    if (storage === 'keychain') {
      const erased = await profiles.erase(id)
      if (!erased.ok) {
        list.noteKeychain(erased.failure)
        return erased
      }
    }
    list.remove(id)
    onRemoved()
    const reason = await list.write()
    if (storage === 'keychain') list.noteKeychain(null)
    else list.emit()
    return reason && storage === 'keychain' ? fail(reason) : succeed(null)
  }

  /** The integrations that an environment knows: a built-in one's are listed, others are in the profile. */
  const integrationsOf = (id: string): readonly string[] =>
    (builtInMode(id) ? list.integrationsOf(id) : list.find(id)?.profile?.integrations) ?? []

  async function addIntegration(id: string, integrationId: string): Promise<void> {
    const known = integrationsOf(id)
    const environment = list.find(id)
    if (known.includes(integrationId) || known.length >= maxIntegrations || !environment?.profile) return
    const profile = { ...environment.profile, integrations: [...known, integrationId] }
    if (sizeIssues(profile, keychain.entryLimit).length > 0) return
    if (environment.storage === 'keychain' && !(await profiles.write(id, profile)).ok) return
    list.put(id, profile, environment.storage)
    list.emit()
  }

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
        readOnly: false,
        target: {
          environmentId: id,
          baseUrl: service.value.baseUrl,
          headers: { 'X-Api-Key': service.value.apiKey },
          network: builtInNetwork,
        },
      })
    }
    const profile = await profileFor(id)
    return profile.ok ? succeed(readyFrom(id, profile.value)) : profile
  }

  function readyFrom(id: string, profile: EnvironmentProfile): ReadyEnvironment {
    return {
      id,
      name: list.find(id)?.name ?? profile.name,
      mode: profile.mode,
      protected: profile.protected,
      readOnly: profile.readOnly,
      target: targetOf(id, profile),
    }
  }

  const orNoAnswer = <Value>(outcome: Outcome<Value> | undefined): Outcome<Value> =>
    outcome ?? fail(noAnswer(timeoutMs))

  /** A full disk doesn't prevent a change of the list. Only the next start won't know about it. */
  async function remember(): Promise<Outcome<null>> {
    list.emit()
    const reason = await list.write()
    return reason ? fail(reason) : succeed(null)
  }

  return {
    state: () => list.state(),
    /** Calls `listener` after every change of the state. Gives the function that removes it. */
    onChange: (listener: (state: EnvironmentsState) => void) => list.onChange(listener),
    /**
     * Reads the profiles from the keychain, if there are any. Call it after the window has loaded: the start never waits
     * for the keychain.
     */
    load: () => readAll(false),

    async save(input: EnvironmentInput): Promise<Outcome<Environment>> {
      if (input.id !== null && builtInMode(input.id)) return fail(builtInIsFixed('changed'))
      const stored = input.id === null ? succeed(null) : await storedFor(input.id)
      if (!stored.ok) return stored
      const id = input.id ?? randomUUID()
      return orNoAnswer(await inTurn(() => saveDraft(id, input, stored.value)))
    },

    /**
     * Trusts exactly the certificate of a recorded refusal from now on, once the operator has agreed outside the page.
     * Failures: `cancelled`, `not-found`, and those of `save`.
     */
    async trust(id: string, refusalId: string): Promise<Outcome<Environment>> {
      if (builtInMode(id)) return fail(builtInIsFixed('changed'))
      const known = list.find(id)
      if (!known) return fail(notFound())
      const seen = refusals.find(refusalId)
      if (seen?.environmentId !== id) return fail(refusalGone())
      // A compromised page may name the refusal, so the operator decides outside the page.
      const isAgreed = await options.ask(trustQuestion(known.name, seen))
      if (!isAgreed) return fail(isAgreed === null ? cannotAsk : notTrusted)
      const stored = await profileFor(id)
      return stored.ok ? orNoAnswer(await inTurn(() => saveTrust(id, seen, stored.value))) : stored
    },

    /**
     * Removes an environment. One that is protected, or may be because its profile can't be read, needs its name as
     * typed. Failures: `confirmation-needed`, `not-found`, `not-allowed`, the keychain's.
     */
    async remove(id: string, confirmedName: string | null): Promise<Outcome<null>> {
      if (builtInMode(id)) return fail(builtInIsFixed('removed'))
      // It starts even if the caller no longer waits, and doesn't block the keychain.
      let forgetting: Promise<void> | undefined
      const removed = await inTurn(() =>
        erase(id, confirmedName, () => void (forgetting = options.forget?.(id))),
      )
      await forgetting
      return orNoAnswer(removed)
    },

    /** Makes an environment the current one. Failures: `not-found`; `internal` if the next start won't know of it. */
    async select(id: string): Promise<Outcome<null>> {
      if (!list.has(id)) return fail(notFound())
      list.select(id)
      return await remember()
    },

    /**
     * Puts the environments that the operator added into an order; those that it doesn't name come after them. Failure:
     * `internal` if the next start won't know of it.
     */
    async reorder(ids: readonly string[]) {
      list.reorder(ids)
      return await remember()
    },

    /** Requests one deployment from the service of a draft, in a session that is used once. */
    async check(input: EnvironmentInput, signal?: AbortSignal): Promise<Outcome<ConnectionCheck>> {
      if (input.id !== null && builtInMode(input.id)) return fail(builtInIsFixed('changed'))
      let stored: EnvironmentProfile | null = null
      if (input.id !== null && usesStored(input)) {
        const profile = await untilCancelled(profileFor(input.id), signal)
        if (!profile.ok) return profile
        stored = profile.value
      }
      const drafted = profileOf(input, stored, refusals)
      if (!drafted.ok) return invalid("The connection can't be checked like this.", drafted.issues)
      return checkConnection(http, drafted.profile, signal)
    },

    async retryKeychain(): Promise<Outcome<KeychainState>> {
      // The operator who retries doesn't want to wait for the hanging call.
      if (isOverdue) {
        keychain.giveUp()
        await turns.idle()
      }
      await reading
      // An existing process may have lost its connection to the keychain, or hang on a lost one.
      keychain.renew()
      await readAll(true)
      return succeed(list.keychain)
    },

    /** What an environment leads to; null while its profile is unknown. */
    destination(id: string): Destination | null {
      const mode = builtInMode(id)
      if (mode) {
        // Its identifier alone stands for a built-in service.
        const target = { environmentId: id, baseUrl: builtIn.running(mode)?.baseUrl ?? '', headers: {} }
        return { id, name: builtInEnvironments[mode].name, target, service: builtInServiceOf(id) }
      }
      const { name, profile } = list.find(id) ?? {}
      if (name === undefined || !profile) return null
      return { id, name, target: targetOf(id, profile), service: serviceOf(id, profile) }
    },

    /** Reads the profile from the keychain, or starts the built-in service, unless that was done before. */
    ready: (id: string, signal?: AbortSignal) => untilCancelled(ready(id), signal),

    /** Adds an integration to an environment's known ones, if it is new and there is room. */
    async rememberIntegration(id: string, integrationId: string): Promise<void> {
      const known = integrationsOf(id)
      if (known.includes(integrationId) || known.length >= maxIntegrations) return
      if (!builtInMode(id)) return void (await inTurn(() => addIntegration(id, integrationId)))
      list.setIntegrations(id, [...known, integrationId])
      list.emit()
      await list.write()
    },

    /** Ends the built-in services, and writes the list once what runs has ended, which gets a second. */
    async close() {
      keychain.giveUp()
      await Promise.all([builtIn.close(), raceTimeout(turns.idle(), 1_000).then(() => list.write())])
    },
  }
}

export type Environments = ReturnType<typeof createEnvironments>

/** Waits for an outcome until the signal aborts. The work goes on, since other callers may share it. */
async function untilCancelled<Value>(
  work: Promise<Outcome<Value>>,
  signal: AbortSignal | undefined,
): Promise<Outcome<Value>> {
  if (!signal) return await work
  return (await raceCancellation(work, signal)) ?? fail(cancelledFailure)
}

/** Whether a draft needs stored values: of a header, of its proxy's password, or of its certificate. */
function usesStored({ headers, proxy, trust }: EnvironmentInput): boolean {
  return (
    (trust.kind === 'exact' && trust.refusalId === null) ||
    headers.some(({ value }) => value === null) ||
    (proxy.mode === 'manual' && proxy.credentials?.password === null)
  )
}

/**
 * Gives what is needed to call the service of an environment. It must be the current one, before and after the wait.
 * Failures: `environment-changed`, `cancelled`, the keychain's and `built-in-service`.
 */
export async function readyEnvironment(
  environments: Environments,
  id: string,
  signal: AbortSignal,
): Promise<Outcome<ReadyEnvironment>> {
  const isCurrent = (): boolean => environments.state().currentEnvironmentId === id
  if (!isCurrent()) return fail(environmentChangedFailure)
  const ready = await environments.ready(id, signal)
  if (!isCurrent()) return fail(environmentChangedFailure)
  if (signal.aborted) return fail(cancelledFailure)
  return ready
}

/**
 * Calls the service of an environment, which must be the current one. Gives the answer only if the environment still
 * leads to the service and the account that were called. It may have been edited meanwhile, and another service's
 * answer is never shown as this one's. Failures: those of `readyEnvironment` and of `ask`.
 */
export async function askService<Answer>(
  environments: Environments,
  id: string,
  signal: AbortSignal,
  ask: (target: HttpTarget) => Promise<Outcome<Answer>>,
): Promise<Outcome<Answer>> {
  const ready = await readyEnvironment(environments, id, signal)
  if (!ready.ok) return ready
  const answer = await ask(ready.value.target)
  if (!answer.ok) return answer
  const now = await readyEnvironment(environments, id, signal)
  if (!now.ok) return now
  return isSameAccount(now.value, ready.value) ? answer : fail(environmentChangedFailure)
}

/** Why nothing is sent with settings from before an edit. */
const editedFailure: Failure = failure(
  'environment-changed',
  'The environment was edited in the meantime, so nothing was sent.',
  { advice: 'Check its settings, then create the deployment again if you still want it there.' },
)

/**
 * Checks that an environment hasn't changed in any setting since it was made ready, and is still the current one. Call
 * it before something is sent. Failures: those of `readyEnvironment`.
 */
export async function ensureUnchanged(
  environments: Environments,
  before: ReadyEnvironment,
  signal: AbortSignal,
): Promise<Outcome<null>> {
  const now = await readyEnvironment(environments, before.id, signal)
  if (!now.ok) return now
  return isDeepStrictEqual(now.value, before) ? succeed(null) : fail(editedFailure)
}

/**
 * Whether an environment was edited since and leads to another service or account, or leads there by another route. No
 * as long as that can't be read.
 */
export async function leadsElsewhere(environments: Environments, before: ReadyEnvironment): Promise<boolean> {
  const now = await environments.ready(before.id, new AbortController().signal)
  return now.ok && !isSameAccount(now.value, before)
}

const isSameAccount = (one: ReadyEnvironment, other: ReadyEnvironment): boolean =>
  accountIdentity(one.target) === accountIdentity(other.target)

export function notFound(): Failure {
  return failure('not-found', 'This environment no longer exists.', {
    advice: 'It was removed. Choose another one.',
  })
}

/** What was asked of a protected environment needs its name as typed. */
function notConfirmed(name: string): Failure {
  return failure('confirmation-needed', `"${name}" is a protected environment.`, {
    advice: "Type the environment's name to confirm.",
  })
}

/** Why nothing may be changed at the service of an environment; null if it may. */
export function whyNotAllowed(
  { name, readOnly, protected: isProtected }: { name: string; readOnly: boolean; protected: boolean },
  confirmedName: string | null,
): Failure | null {
  if (readOnly) {
    return failure('not-allowed', `"${name}" is read-only, so nothing was sent.`, {
      advice: 'Use another environment, or turn off "Read-only" under Environments.',
    })
  }
  return isProtected && confirmedName !== name ? notConfirmed(name) : null
}

/** The environment of a call is no longer the current one, or now leads elsewhere. */
export const environmentChangedFailure: Failure = failure(
  'environment-changed',
  'The environment was changed in the meantime.',
  { advice: 'If you still want to do this, do it again in the environment shown now.' },
)
