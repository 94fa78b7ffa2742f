import {
  environmentLimits,
  type EnvironmentProfile,
  type FieldIssue,
  type Outcome,
  fail,
  succeed,
} from '@contract'
import type { ProfileStore } from '../profile/store'
import type { OwnEnvironment, Registry } from '../list'

/**
 * Puts a profile into the keychain and its name into the index; for the session where there is no keychain.
 *
 * It goes keychain first, index second: a crash in between leaves an entry that the index calls unfinished, which
 * is found again at the next start. So does an index that cannot be written then, which has no say in whether it was
 * saved: a failure means that nothing has changed, or that the keychain did not answer.
 */
export async function keep(
  registry: Registry,
  profiles: ProfileStore,
  id: string,
  profile: EnvironmentProfile,
  known: OwnEnvironment | undefined,
): Promise<Outcome<null>> {
  const { own, unfinished } = registry
  const isNew = known?.kept !== 'keychain'
  // An earlier save of it may have been done or not, whatever comes of this one.
  const earlier = unfinished.get(id)
  const asBefore = (): void => {
    if (earlier === undefined) unfinished.delete(id)
    else unfinished.set(id, earlier)
  }
  if (isNew) {
    unfinished.set(id, profile.name)
    const reason = await registry.write()
    if (reason) {
      asBefore()
      return fail(reason)
    }
  }
  const written = await profiles.write(id, profile)
  if (!written.ok && written.failure.code === 'keychain-missing' && isNew) {
    asBefore()
    own.set(id, { id, name: profile.name, kept: 'session', profile, problem: null })
    await registry.write()
    registry.setKeychain(written.failure)
    return succeed(null)
  }
  if (!written.ok) {
    // Without an answer it is not known whether the entry was written; then it stays unfinished.
    if (isNew && written.failure.code !== 'keychain-unresponsive') asBefore()
    await registry.write()
    return registry.noted(written)
  }
  unfinished.delete(id)
  own.set(id, { id, name: profile.name, kept: 'keychain', profile, problem: null })
  await registry.write()
  registry.setKeychain(null)
  return succeed(null)
}

/** What is wrong with adding one more environment; those whose save is not finished count as well. */
export function countIssues({ own, unfinished }: Registry): FieldIssue[] {
  const count = new Set([...own.keys(), ...unfinished.keys()]).size
  if (count < environmentLimits.count) return []
  const message = `Slipway keeps at most ${environmentLimits.count} environments. Remove one that you no longer need.`
  return [{ path: [], message }]
}

/**
 * What is wrong with a profile that is larger than Slipway's limit, or than an entry of the system's keychain may be
 * (`entryLimit` bytes, null for any).
 */
export function sizeIssues(profile: EnvironmentProfile, entryLimit: number | null): FieldIssue[] {
  const size = bytesOf(profile)
  const ofSystem = entryLimit !== null && entryLimit < environmentLimits.profileBytes
  const limit = ofSystem ? entryLimit : environmentLimits.profileBytes
  if (size <= limit) return []
  const [largest, next] = partsOf(profile)
  const inWords = (number: number): string => number.toLocaleString('en-GB')
  return [
    {
      path: [],
      message:
        `${ofSystem ? "This system's keychain" : 'Slipway'} holds ${inWords(limit)} bytes for an environment, and ` +
        `this one needs ${inWords(size)}. ` +
        `Most of it is ${largest}, then ${next}: make one of them shorter, or take it away.`,
    },
  ]
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** What a profile consists of, in words; what needs most comes first. */
function partsOf({ headers, integrations, trust, proxy, baseUrl }: EnvironmentProfile): string[] {
  const parts: Record<string, unknown> = {
    'its request headers': headers,
    'its known integrations': integrations,
    [trust.kind === 'authority' ? 'the certificate of its authority' : 'its trusted certificate']: trust,
    [proxy.mode === 'pac-text' ? 'its PAC script' : 'its proxy']: proxy,
    'its base URL': baseUrl,
  }
  return Object.entries(parts)
    .sort(([, one], [, other]) => bytesOf(other) - bytesOf(one))
    .map(([words]) => words)
}
