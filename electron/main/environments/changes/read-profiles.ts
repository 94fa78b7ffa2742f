import { type EnvironmentProfile, type Failure, type Outcome, fail, succeed } from '@contract'
import { noAnswer } from '../../processes/keychain/failures'
import { gone, notFound } from '../model/failures'
import { type EnvironmentList, type OwnEnvironment, waitsForKeychain } from '../list'
import type { ProfileStore } from '../profile/store'
import { searchForLost } from './find-lost'
import { persistProfile } from './save'
import type { TimedQueue } from './timed-queue'

/** Reads profiles from the keychain. */
export interface ProfileReader {
  /**
   * Reads all profiles, or joins the reading that is running. `byOperator` says that the operator asked for it, so that
   * the system may ask for a password.
   */
  readAll: (byOperator: boolean) => Promise<void>
  /** Resolves when no reading runs. */
  idle: () => Promise<void>
  /** The profile of an environment, read from the keychain if that hasn't been done. */
  profileFor: (id: string) => Promise<Outcome<EnvironmentProfile>>
}

/** For a request, a failed read is repeated only after this time, in milliseconds: each may ask for a password. */
const readAgainAfterMs = 2_000

/** @param timeoutMs how long callers wait for the keychain */
export function createProfileReader(
  list: EnvironmentList,
  profiles: ProfileStore,
  queue: TimedQueue,
  timeoutMs: number,
): ProfileReader {
  let reading: Promise<void> | null = null
  /** When profiles were last read, by a monotonic clock. */
  let readAt: number | null = null

  async function readAll(byOperator: boolean): Promise<void> {
    reading ??= queue.run(() => readProfiles(byOperator)).finally(() => (reading = null))
    await reading
  }

  async function readProfiles(byOperator: boolean): Promise<void> {
    const inKeychain = list.own('keychain')
    const inSession = list.own('session')
    const unfinished = list.unfinished()
    const isStored = inKeychain.length > 0 || unfinished.length > 0 || list.mustSearch
    if (!isStored && !byOperator) return
    const needsOpen = isStored || inSession.length > 0 || list.keychain.state === 'locked'
    const reason = await firstFailure([
      () => profiles.probe(!needsOpen ? 'there' : byOperator ? 'certainly-open' : 'open'),
      ...inKeychain.map(({ id }) => readProfile(id)),
      ...unfinished.map(([id]) => endInterruptedSave(id)),
      ...(list.mustSearch ? [() => searchForLost(list, profiles)] : []),
      ...inSession.map((environment) => () => moveToKeychain(environment)),
    ])
    if (reason) list.failReading(reason)
    readAt = performance.now()
    await list.write()
    list.noteKeychain(reason)
  }

  const readProfile = (id: string) => async (): Promise<Outcome<null>> => {
    const entry = await profiles.read(id)
    if (!entry.ok) return entry
    list.setEntry(id, entry.value)
    return succeed(null)
  }

  const endInterruptedSave = (id: string) => async (): Promise<Outcome<null>> => {
    const entry = await profiles.read(id)
    if (!entry.ok) return entry
    list.endInterruptedSave(id, entry.value)
    return succeed(null)
  }

  async function moveToKeychain({ id, profile }: OwnEnvironment): Promise<Outcome<null>> {
    return profile ? await persistProfile(list, profiles, id, profile) : succeed(null)
  }

  return {
    readAll,
    idle: async () => {
      if (reading) await reading
    },
    async profileFor(id) {
      const mayRead = readAt === null || performance.now() - readAt > readAgainAfterMs
      const known = list.find(id)
      if (known && !known.profile && waitsForKeychain(known) && mayRead) await readAll(false)
      const environment = list.find(id)
      if (!environment) return fail(notFound())
      if (environment.profile) return succeed(environment.profile)
      return fail(queue.isOverdue ? noAnswer(timeoutMs) : (environment.problem ?? gone))
    },
  }
}

/** Runs steps one after the other until one fails. Gives its failure. */
async function firstFailure(steps: (() => Promise<Outcome<null>>)[]): Promise<Failure | null> {
  for (const step of steps) {
    const outcome = await step()
    if (!outcome.ok) return outcome.failure
  }
  return null
}
