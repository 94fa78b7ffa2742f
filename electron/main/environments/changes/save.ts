import { randomUUID } from 'node:crypto'
import {
  type Environment,
  type EnvironmentInput,
  type EnvironmentProfile,
  type Outcome,
  type Trust,
  fail,
  failure,
  succeed,
} from '@contract'
import type { Refusals, SeenRefusal } from '../../http/refusals'
import { credentialsRefusal } from '../../http/trial-engine'
import { noAnswer } from '../../keychain/failures'
import type { Keychain } from '../../keychain/types'
import { canBeAsked, type ConfirmTrust } from '../confirm-trust'
import { gone, invalid, notAsked, notFound, notTrusted, refusalGone, tooLongToAsk } from '../failures'
import { countIssues, keep, sizeIssues } from './persist-profile'
import { nameKey, isSameName } from '../list/names'
import type { Environments } from '../types'
import { headersOf, networkOf, profileOf } from '../profile'
import type { ProfileStore } from '../profile/store'
import { type OwnEnvironment, type Registry, show } from '../list'
import { isSameTrust, routeOf, whyNotUsed } from '../stored-secrets'
import type { Turns } from './timed-queue'

/** What is needed of the options of the environments. */
export interface SavingOptions {
  keychain: Pick<Keychain, 'entryLimit'>
  refusals: Pick<Refusals, 'find'>
  confirmTrust: ConfirmTrust
  timeoutMs: number
}

/** Changing environments as `Environments` describes it; not for the built-in ones. */
export type Saving = Pick<Environments, 'save' | 'trust'>

/** Makes the saving. */
export function createSaving(
  registry: Registry,
  profiles: ProfileStore,
  turns: Turns,
  { keychain, refusals, confirmTrust, timeoutMs }: SavingOptions,
): Saving {
  /** Saves whose caller was told that the keychain does not answer: name to identifier. */
  const givenUp = new Map<string, string>()

  /** The identifier under which a draft is saved: its own, that of an unfinished save of the name, or a new one. */
  function identifierFor(input: EnvironmentInput): string {
    if (input.id !== null) return input.id
    for (const [id, name] of registry.unfinished) if (isSameName(name, input.name)) return id
    const id = givenUp.get(nameKey(input.name))
    // It may have been saved all the same and been given another name since: then it is another environment.
    const known = id === undefined ? undefined : registry.own.get(id)
    return id === undefined || (known && !isSameName(known.name, input.name)) ? randomUUID() : id
  }

  async function save(id: string, input: EnvironmentInput): Promise<Outcome<Environment>> {
    const known = registry.own.get(id)
    const stored = await storedProfile(id, input.id === null)
    if (!stored.ok) return stored

    // Who adds an environment entered all of it, and keeps nothing of an earlier save of that name.
    const drafted = profileOf(input, input.id === null ? null : stored.value, refusals)
    const again = input.id === null && known !== undefined
    if (again && drafted.ok && JSON.stringify(drafted.profile) === JSON.stringify(stored.value)) {
      return succeed(show(known))
    }
    const issues = drafted.ok ? sizeIssues(drafted.profile, keychain.entryLimit) : drafted.issues
    if (!known && !registry.unfinished.has(id)) issues.unshift(...countIssues(registry))
    if (registry.nameTaken(input.name, again ? null : id)) {
      issues.unshift({ path: ['name'], message: 'Another environment has this name.' })
    }
    if (!drafted.ok || issues.length > 0) return invalid('The environment cannot be saved as it is.', issues)

    const refusal = credentialsRefusal({
      baseUrl: drafted.profile.baseUrl,
      headers: headersOf(drafted.profile),
      network: networkOf(drafted.profile),
    })
    if (refusal) return fail(refusal)
    return await put(id, drafted.profile, known)
  }

  /**
   * The profile that a draft changes: as the keychain has it now, so that an entry which a newer Slipway has
   * written since, or which is damaged, is not overwritten.
   */
  async function storedProfile(id: string, mayBeNew: boolean): Promise<Outcome<EnvironmentProfile | null>> {
    const known = registry.own.get(id)
    if (!known) return mayBeNew ? succeed(null) : fail(notFound())
    if (known.kept === 'session') return succeed(known.profile)
    const entry = await profiles.read(id)
    if (!entry.ok) return registry.noted(entry)
    if (registry.keychain.state !== 'available') registry.setKeychain(null)
    if (entry.value === null) return succeed(null)
    if (entry.value.ok) return succeed(entry.value.profile)
    registry.accept(known, entry.value)
    registry.emit()
    return fail(
      failure('not-allowed', 'This environment cannot be changed.', { advice: entry.value.problem }),
    )
  }

  /** Asks the user first: the page, which names the refusal, may have been taken over. */
  async function trust(id: string, refusalId: string): Promise<Outcome<Environment>> {
    const known = registry.own.get(id)
    if (!known) return fail(notFound())
    const seen = refusals.find(refusalId)
    if (seen?.environmentId !== id) return fail(refusalGone())
    const { origin, certificate } = seen
    const expected = seen.trust.kind === 'exact' ? seen.trust.certificate : null
    const question = { environmentName: known.name, origin, certificate, expected }
    if (!canBeAsked(question)) return fail(tooLongToAsk)
    const agreed = await confirmTrust(question)
    if (!agreed) return fail(agreed === null ? notAsked : notTrusted)
    const turn = await turns.take(() => keepTrusted(id, seen))
    return turn.waited ? turn.result : fail(noAnswer(timeoutMs))
  }

  async function keepTrusted(id: string, seen: SeenRefusal): Promise<Outcome<Environment>> {
    const stored = await storedProfile(id, false)
    if (!stored.ok) return stored
    if (!stored.value) return fail(gone)
    // What the user agreed to is this service, where it still is asked by the rule that refused the certificate.
    const trusted: Trust = { kind: 'exact', certificate: seen.certificate }
    const route = routeOf(stored.value)
    const wanted = { ...route, baseUrl: seen.origin, trust: trusted }
    if (!isSameTrust(route.trust, seen.trust) || whyNotUsed(route, wanted, trusted))
      return fail(refusalGone())
    const profile: EnvironmentProfile = { ...stored.value, trust: trusted }
    const issues = sizeIssues(profile, keychain.entryLimit)
    if (issues.length > 0) return invalid('The certificate cannot be kept.', issues)
    return await put(id, profile, registry.own.get(id))
  }

  async function put(
    id: string,
    profile: EnvironmentProfile,
    known: OwnEnvironment | undefined,
  ): Promise<Outcome<Environment>> {
    const kept = await keep(registry, profiles, id, profile, known)
    if (!kept.ok) return kept
    const saved = registry.own.get(id)
    return saved ? succeed(show(saved)) : fail(notFound())
  }

  async function saveInTurn(input: EnvironmentInput): Promise<Outcome<Environment>> {
    const id = identifierFor(input)
    const turn = await turns.take(() => save(id, input))
    if (!turn.waited) {
      if (input.id === null) givenUp.set(nameKey(input.name), id)
      return fail(noAnswer(timeoutMs))
    }
    if (turn.result.ok) givenUp.delete(nameKey(input.name))
    return turn.result
  }

  return { save: saveInTurn, trust }
}
