import { type EnvironmentProfile, type Failure, type Outcome, fail, succeed } from '@contract'
import { noAnswer } from '../../keychain/failures'
import { gone, notFound } from '../failures'
import { keep } from './persist-profile'
import { searchForLost } from './find-lost'
import type { ProfileStore } from '../profile/store'
import type { OwnEnvironment, Registry } from '../list'
import type { Turns } from './timed-queue'

/** Reading profiles out of the keychain. */
export interface Reading {
  /**
   * Reads all profiles, sharing one reading that is under way. `byUser` says that the user asked for it, so that
   * the system may ask for a password.
   */
  readAll: (byUser: boolean) => Promise<void>
  /** Resolves when the reading that is under way, if any, is done. */
  underWay: () => Promise<void>
  /** The profile of an environment, read from the keychain where that has not been done. */
  profileFor: (id: string) => Promise<Outcome<EnvironmentProfile>>
}

/** A failed read is made again for a request only after this time, in milliseconds: each may ask for a password. */
const readAgainAfterMs = 2_000

/** Makes the reading. `timeoutMs` is how long anyone waits for the keychain. */
export function createReading(
  registry: Registry,
  profiles: ProfileStore,
  turns: Turns,
  timeoutMs: number,
): Reading {
  let loading: Promise<void> | null = null
  /** By a clock that nobody sets. */
  let readAt: number | null = null

  async function readAll(byUser: boolean): Promise<void> {
    loading ??= turns
      .take(() => readProfiles(byUser))
      .then(() => undefined)
      .finally(() => (loading = null))
    await loading
  }

  async function readProfiles(byUser: boolean): Promise<void> {
    const { own, unfinished } = registry
    const kept = registry.keptIn('keychain')
    const unkept = registry.keptIn('session')
    const stored = kept.length > 0 || unfinished.size > 0 || registry.rebuild
    if (!stored && !byUser) return
    const wanted = stored || unkept.length > 0 || registry.keychain.state === 'locked'
    const reason = await firstFailure([
      () => profiles.probe(!wanted ? 'there' : byUser ? 'certainly-open' : 'open'),
      ...kept.map((environment) => () => readProfile(environment)),
      ...[...unfinished.keys()].map((id) => () => recover(id)),
      ...(registry.rebuild ? [() => searchForLost(registry, profiles)] : []),
      ...unkept.map((environment) => () => moveToKeychain(environment)),
    ])
    if (reason) {
      for (const environment of own.values()) {
        if (environment.problem?.code.startsWith('keychain-')) environment.problem = reason
      }
    }
    readAt = performance.now()
    await registry.write()
    registry.setKeychain(reason)
  }

  async function readProfile(environment: OwnEnvironment): Promise<Outcome<null>> {
    const entry = await profiles.read(environment.id)
    if (!entry.ok) return entry
    registry.accept(environment, entry.value)
    return succeed(null)
  }

  /** An entry that was being written when the application ended: it is there, or it never came to be. */
  async function recover(id: string): Promise<Outcome<null>> {
    const entry = await profiles.read(id)
    if (!entry.ok) return entry
    if (entry.value) registry.adopt(id, entry.value, registry.unfinished.get(id) ?? id)
    registry.unfinished.delete(id)
    return succeed(null)
  }

  async function moveToKeychain(environment: OwnEnvironment): Promise<Outcome<null>> {
    if (!environment.profile) return succeed(null)
    return keep(registry, profiles, environment.id, environment.profile, environment)
  }

  return {
    readAll,
    underWay: async () => {
      if (loading) await loading
    },
    async profileFor(id) {
      const mayRead = readAt === null || performance.now() - readAt > readAgainAfterMs
      const unread = registry.own.get(id)
      if (unread && !unread.profile && unread.problem?.code.startsWith('keychain-') && mayRead)
        await readAll(false)
      const environment = registry.own.get(id)
      if (!environment) return fail(notFound())
      if (environment.profile) return succeed(environment.profile)
      return fail(turns.overdue() ? noAnswer(timeoutMs) : (environment.problem ?? gone))
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
