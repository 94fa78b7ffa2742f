import {
  type EnvironmentProfile,
  type Outcome,
  fail,
  succeed,
  type Environment,
  type EnvironmentInput,
  type Trust,
  failure,
  foldName,
} from '@contract'
import { type EnvironmentList, show } from '../list'
import type { ProfileStore } from '../profile/store'
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Refusals, SeenRefusal } from '../../http/trust'
import { credentialsRefusal } from '../../http/trial-engine'
import { noAnswer } from '../../processes/keychain/failures'
import type { Keychain } from '../../processes/keychain/types'
import { isShownWhole, type ConfirmTrust } from './confirm-trust'
import { gone, invalid, cannotAsk, notFound, notTrusted, refusalGone, tooLongToAsk } from '../model/failures'
import { profileOf, targetOf } from '../profile'
import { countIssues, sizeIssues } from '../profile/limits'
import { isSameTrust, routeOf, whyNotUsed } from '../model/stored-secrets'
import type { Environments } from '../model/types'
import type { TimedQueue } from './timed-queue'

/**
 * Writes a profile into the keychain and its name into the index. Without a keychain, keeps it for the session.
 *
 * The keychain comes first: a crash in between leaves an entry that the index calls unfinished, which the next start
 * finds. The same goes for an index that can't be written after the keychain. So a failure means that nothing has
 * changed, or that the keychain didn't answer.
 */
export async function persistProfile(
  list: EnvironmentList,
  profiles: ProfileStore,
  id: string,
  profile: EnvironmentProfile,
): Promise<Outcome<null>> {
  const isNew = list.find(id)?.storage !== 'keychain'
  let undo = (): void => undefined
  if (isNew) {
    undo = list.beginSave(id, profile.name)
    const reason = await list.write()
    if (reason) {
      undo()
      return fail(reason)
    }
  }
  const written = await profiles.write(id, profile)
  if (!written.ok && written.failure.code === 'keychain-missing' && isNew) {
    undo()
    list.put(id, profile, 'session')
    await list.write()
    list.noteKeychain(written.failure)
    return succeed(null)
  }
  if (!written.ok) {
    // Without an answer, the entry may have been written. Then the save stays unfinished.
    if (written.failure.code !== 'keychain-unresponsive') undo()
    await list.write()
    list.noteKeychain(written.failure)
    return written
  }
  list.put(id, profile, 'keychain')
  await list.write()
  list.noteKeychain(null)
  return succeed(null)
}

/** The options of the environments that saving needs. */
export interface SavingOptions {
  keychain: Pick<Keychain, 'entryLimit'>
  refusals: Pick<Refusals, 'find'>
  confirmTrust: ConfirmTrust
  timeoutMs: number
}

/** Changes environments as `Environments` describes it, except the built-in ones. */
export type Saving = Pick<Environments, 'save' | 'trust'>

export function createSaving(
  list: EnvironmentList,
  profiles: ProfileStore,
  queue: TimedQueue,
  { keychain, refusals, confirmTrust, timeoutMs }: SavingOptions,
): Saving {
  /** Saves whose caller stopped waiting for the keychain: name to identifier. */
  const timedOut = new Map<string, string>()

  /** The identifier for a draft: its own, that of an interrupted save of the same name, or a new one. */
  function identifierFor(input: EnvironmentInput): string {
    if (input.id !== null) return input.id
    for (const [id, name] of list.unfinished()) if (isSameName(name, input.name)) return id
    const id = timedOut.get(foldName(input.name))
    // The save may have succeeded and the environment been renamed since: then it is another one.
    const known = id === undefined ? undefined : list.find(id)
    return id === undefined || (known && !isSameName(known.name, input.name)) ? randomUUID() : id
  }

  async function save(id: string, input: EnvironmentInput): Promise<Outcome<Environment>> {
    const known = list.find(id)
    const stored = await storedProfile(id, input.id === null)
    if (!stored.ok) return stored

    // A new environment takes nothing from an earlier save of the same name: the operator entered all of it.
    const drafted = profileOf(input, input.id === null ? null : stored.value, refusals)
    const isRepeated = input.id === null && known !== undefined
    if (isRepeated && drafted.ok && isDeepStrictEqual(drafted.profile, stored.value)) {
      return succeed(show(known))
    }
    const issues = drafted.ok ? sizeIssues(drafted.profile, keychain.entryLimit) : drafted.issues
    if (!list.mayHave(id)) issues.unshift(...countIssues(list.count))
    if (list.isNameTaken(input.name, isRepeated ? null : id)) {
      issues.unshift({ path: ['name'], message: 'Another environment has this name.' })
    }
    if (!drafted.ok || issues.length > 0) return invalid("The environment can't be saved as it is.", issues)

    const refusal = credentialsRefusal(targetOf(id, drafted.profile))
    if (refusal) return fail(refusal)
    return await persist(id, drafted.profile)
  }

  /**
   * The profile that a draft changes, read from the keychain again. An entry that is damaged, or was written by a newer
   * Slipway since, isn't overwritten.
   */
  async function storedProfile(id: string, mayBeNew: boolean): Promise<Outcome<EnvironmentProfile | null>> {
    const known = list.find(id)
    if (!known) return mayBeNew ? succeed(null) : fail(notFound())
    if (known.storage === 'session') return succeed(known.profile)
    const entry = await profiles.read(id)
    if (!entry.ok) {
      list.noteKeychain(entry.failure)
      return entry
    }
    if (list.keychain.state !== 'available') list.noteKeychain(null)
    if (entry.value === null) return succeed(null)
    if (entry.value.ok) return succeed(entry.value.profile)
    list.setEntry(id, entry.value)
    list.emit()
    return fail(failure('not-allowed', "This environment can't be changed.", { advice: entry.value.problem }))
  }

  async function trust(id: string, refusalId: string): Promise<Outcome<Environment>> {
    const known = list.find(id)
    if (!known) return fail(notFound())
    const seen = refusals.find(refusalId)
    if (seen?.environmentId !== id) return fail(refusalGone())
    const { origin, certificate } = seen
    const expected = seen.trust.kind === 'exact' ? seen.trust.certificate : null
    const question = { environmentName: known.name, origin, certificate, expected }
    if (!isShownWhole(question)) return fail(tooLongToAsk)
    // A compromised page may name the refusal, so the operator decides outside the page.
    const isAgreed = await confirmTrust(question)
    if (!isAgreed) return fail(isAgreed === null ? cannotAsk : notTrusted)
    return (await queue.run(() => persistTrust(id, seen))) ?? fail(noAnswer(timeoutMs))
  }

  async function persistTrust(id: string, seen: SeenRefusal): Promise<Outcome<Environment>> {
    const stored = await storedProfile(id, false)
    if (!stored.ok) return stored
    if (!stored.value) return fail(gone)
    // The consent is for this service, and only as long as it is checked by the rule that refused the certificate.
    const trusted: Trust = { kind: 'exact', certificate: seen.certificate }
    const route = routeOf(stored.value)
    const wanted = { ...route, baseUrl: seen.origin, trust: trusted }
    if (!isSameTrust(route.trust, seen.trust) || whyNotUsed(route, wanted, trusted)) {
      return fail(refusalGone())
    }
    const profile: EnvironmentProfile = { ...stored.value, trust: trusted }
    const issues = sizeIssues(profile, keychain.entryLimit)
    if (issues.length > 0) return invalid("The certificate can't be saved.", issues)
    return await persist(id, profile)
  }

  async function persist(id: string, profile: EnvironmentProfile): Promise<Outcome<Environment>> {
    const persisted = await persistProfile(list, profiles, id, profile)
    if (!persisted.ok) return persisted
    const saved = list.find(id)
    return saved ? succeed(show(saved)) : fail(notFound())
  }

  return {
    async save(input) {
      const id = identifierFor(input)
      const saved = await queue.run(() => save(id, input))
      if (!saved) {
        if (input.id === null) timedOut.set(foldName(input.name), id)
        return fail(noAnswer(timeoutMs))
      }
      if (saved.ok) timedOut.delete(foldName(input.name))
      return saved
    },
    trust,
  }
}

const isSameName = (one: string, other: string): boolean => foldName(one) === foldName(other)
