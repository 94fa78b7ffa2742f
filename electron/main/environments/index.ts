import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import {
  type ConnectionCheck,
  type Environment,
  type EnvironmentInput,
  type EnvironmentProfile,
  type Failure,
  type FieldIssue,
  type KeychainState,
  type Outcome,
  type Trust,
  fail,
  failure,
  succeed,
} from '@contract'
import { shownText } from '@contract/core/text'
import { raceTimeout, Sequencer } from '../async'
import { readJson, type TellSetAside, writeAtomically } from '../files'
import { credentialsRefusal } from '../http/trial-engine'
import type { Refusals, SeenRefusal } from '../http/trust'
import type { HttpClient } from '../http/client'
import type { BuiltInService } from '../processes/built-in-service'
import { type Keychain, noAnswer } from '../processes/keychain'
import { checkConnection } from './connection-check'
import {
  builtInMode,
  EnvironmentList,
  environmentIndexSchema,
  gone,
  notConfirmed,
  notFound,
  show,
  targetOf,
  untilCancelled,
  waitsForKeychain,
} from './known'
import { countIssues, createProfileStore, profileOf, sizeIssues } from './profile'
import { isSameTrust, routeOf, whyNotUsed } from './stored-secrets'
import type { Ask, Question } from '../window/questions'

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

/** For a request, a failed read is repeated only after this time, in milliseconds: each may ask for a password. */
const readAgainAfterMs = 2_000

const maxIntegrations = 200

/**
 * Creates the environments. Reads their names synchronously, but not the keychain: `load` or the first use reads that.
 */
export function createEnvironments(options: EnvironmentsOptions) {
  const { keychain, builtIn, http, refusals, userDataFolder, timeoutMs = 10_000 } = options
  const file = join(userDataFolder, 'environments.json')
  const index = readJson(
    file,
    (value) => environmentIndexSchema.parse(value),
    options.setAside ?? (() => undefined),
  )
  const list = new EnvironmentList(index, builtIn, profileFor)
  const writes = new Sequencer()
  const profiles = createProfileStore(keychain)
  const turns = new Sequencer()
  /** Whether a caller stopped waiting for a task that still runs. None is begun meanwhile. */
  let isOverdue = false
  let reading: Promise<void> | null = null
  /** When profiles were last read, by a monotonic clock. */
  let readAt: number | null = null

  /** Writes the file. Gives what prevented that, or null. */
  async function write(): Promise<Failure | null> {
    try {
      await writes.queue(() => writeAtomically(file, JSON.stringify(list.index(), null, 2)))
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
    await write()
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
      const reason = await write()
      if (reason) {
        undo()
        return fail(reason)
      }
    }
    const written = await profiles.write(id, profile)
    const isKept = !written.ok && written.failure.code === 'keychain-missing' && isNew
    if (written.ok || isKept) list.put(id, profile, written.ok ? 'keychain' : 'session')
    else if (isNew) undo()
    await write()
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
    if (!list.find(id)) issues.unshift(...countIssues(list.own().length))
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
    const reason = await write()
    if (storage === 'keychain') list.noteKeychain(null)
    else list.emit()
    return reason && storage === 'keychain' ? fail(reason) : succeed(null)
  }

  /** The integrations that an environment knows, with a new one; null if it isn't new or there is no room. */
  function integrationsWith(id: string, integrationId: string): string[] | null {
    const known = list.find(id)?.profile?.integrations ?? []
    const isFull = known.length >= maxIntegrations
    return isFull || known.includes(integrationId) ? null : [...known, integrationId]
  }

  async function addIntegration(id: string, integrationId: string): Promise<void> {
    const integrations = integrationsWith(id, integrationId)
    const environment = list.find(id)
    if (!integrations || !environment?.profile) return
    const profile = { ...environment.profile, integrations }
    if (sizeIssues(profile, keychain.entryLimit).length > 0) return
    if (environment.storage === 'keychain' && !(await profiles.write(id, profile)).ok) return
    list.put(id, profile, environment.storage)
    list.emit()
  }

  const orNoAnswer = <Value>(outcome: Outcome<Value> | undefined): Outcome<Value> =>
    outcome ?? fail(noAnswer(timeoutMs))

  /** A full disk doesn't prevent a change of the list. Only the next start won't know about it. */
  async function remember(): Promise<Outcome<null>> {
    list.emit()
    const reason = await write()
    return reason ? fail(reason) : succeed(null)
  }

  return {
    state: list.state,
    onChange: list.onChange,
    destination: list.destination,
    ready: list.ready,
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
      if (!list.find(id)) return fail(notFound())
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

    /** Adds an integration to an environment's known ones, if it is new and there is room. */
    async rememberIntegration(id: string, integrationId: string): Promise<void> {
      const integrations = integrationsWith(id, integrationId)
      if (!integrations) return
      if (!builtInMode(id)) return void (await inTurn(() => addIntegration(id, integrationId)))
      list.setIntegrations(id, integrations)
      list.emit()
      await write()
    },

    /** Ends the built-in services, and writes the list once what runs has ended, which gets a second. */
    async close() {
      keychain.giveUp()
      await Promise.all([builtIn.close(), raceTimeout(turns.idle(), 1_000).then(() => write())])
    },
  }
}

export type Environments = ReturnType<typeof createEnvironments>

/** Whether a draft needs stored values: of a header, of its proxy's password, or of its certificate. */
function usesStored({ headers, proxy, trust }: EnvironmentInput): boolean {
  return (
    (trust.kind === 'exact' && trust.refusalId === null) ||
    headers.some(({ value }) => value === null) ||
    (proxy.mode === 'manual' && proxy.credentials?.password === null)
  )
}

function builtInIsFixed(what: 'changed' | 'removed'): Failure {
  return failure('not-allowed', `A built-in environment can't be ${what}.`, {
    advice: 'Add your own environment instead.',
  })
}

/** An environment whose profile can't be read needs its name as typed, too. */
function mayBeProtected(name: string): Failure {
  return failure('confirmation-needed', `"${name}" may be protected: its profile can't be read.`, {
    advice: "Type the environment's name to confirm.",
  })
}

function invalid(message: string, issues: FieldIssue[]): Outcome<never> {
  return fail(failure('invalid-input', message, { issues }))
}

/** A refused certificate that can no longer be trusted: unknown, too old, or refused by settings that have changed. */
function refusalGone(): Failure {
  return failure('not-found', 'This certificate can no longer be trusted from here.', {
    advice: 'Repeat what failed, then review the certificate that the service presents.',
  })
}

/** The operator declined to trust a certificate. */
const notTrusted = failure('cancelled', "The certificate wasn't trusted.")

/** The operator couldn't be asked to trust a certificate. */
const cannotAsk = failure(
  'not-allowed',
  "Another dialog is open, or was just declined, so you weren't asked.",
  {
    advice: 'Answer the dialog, or wait a few seconds, then try again.',
    retryable: true,
  },
)

/**
 * The question to the operator, outside the page, before an environment's stored secrets are sent to the owner of a
 * refused certificate. A page may have chosen the environment's name, so it has a labelled line of its own.
 */
function trustQuestion(environmentName: string, { origin, certificate, trust }: SeenRefusal): Question {
  const expected =
    trust.kind === 'exact' ? [`Trusted so far (SHA-256):\n${lines(trust.certificate.fingerprint)}`] : []
  return {
    message: `Trust this certificate of ${origin}?`,
    detail: [
      ...expected,
      `Shown now (SHA-256):\n${lines(certificate.fingerprint)}`,
      `Environment: ${shownText(environmentName, { max: 60 })}`,
      "Slipway will send this environment's stored request headers to any server that presents this certificate. " +
        "Compare the fingerprint with the one that the service's administrator gives you.",
    ].join('\n\n'),
    agree: 'Trust certificate',
  }
}

/** A fingerprint on two lines of 16 bytes, to be compared by eye. */
function lines(fingerprint: string): string {
  const half = 16 * 3
  return `${fingerprint.slice(0, half - 1)}\n${fingerprint.slice(half)}`
}
