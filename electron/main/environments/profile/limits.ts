import { environmentLimits, type EnvironmentProfile, type FieldIssue } from '@contract'
import { formatCount } from '@contract/core/text'

/** What is wrong with another environment if there are already `count`. */
export function countIssues(count: number): FieldIssue[] {
  if (count < environmentLimits.count) return []
  const message = `Slipway keeps at most ${environmentLimits.count} environments. Remove one that you no longer need.`
  return [{ path: [], message }]
}

/**
 * What is wrong with the size of a profile: it exceeds Slipway's limit, or that of an entry in the system's keychain.
 *
 * @param entryLimit the keychain's limit in bytes; null if there is none
 */
export function sizeIssues(profile: EnvironmentProfile, entryLimit: number | null): FieldIssue[] {
  const size = Buffer.byteLength(JSON.stringify(profile))
  const isKeychainLimit = entryLimit !== null && entryLimit < environmentLimits.profileBytes
  const limit = isKeychainLimit ? entryLimit : environmentLimits.profileBytes
  if (size <= limit) return []
  const [largest, next] = partLabels(profile)
  return [
    {
      path: [],
      message:
        `${isKeychainLimit ? "This system's keychain" : 'Slipway'} holds ${formatCount(limit)} bytes for an environment, and ` +
        `this one needs ${formatCount(size)}. ` +
        `Most of it is ${largest}, then ${next}: make one of them shorter, or remove it.`,
    },
  ]
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** The parts of a profile, largest first. */
function partLabels({
  headers,
  integrations,
  nicknames,
  trust,
  proxy,
  baseUrl,
}: EnvironmentProfile): string[] {
  const parts: Record<string, unknown> = {
    'its request headers': headers,
    'its known integrations': [integrations, nicknames],
    [trust.kind === 'authority' ? 'its CA certificate' : 'its trusted certificate']: trust,
    [proxy.mode === 'pac-text' ? 'its PAC script' : 'its proxy']: proxy,
    'its base URL': baseUrl,
  }
  return Object.entries(parts)
    .sort(([, one], [, other]) => bytesOf(other) - bytesOf(one))
    .map(([label]) => label)
}
