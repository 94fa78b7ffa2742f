import {
  type EnvironmentInput,
  environmentLimits,
  type EnvironmentProfile,
  type FieldIssue,
  normalizeBaseUrl,
  type Outcome,
  type Proxy,
  type ProxyInput,
  succeed,
  type Trust,
  type TrustInput,
} from '@contract'
import { formatCount } from '@contract/core/text'
import { environmentProfileSchema } from '@contract/app/environment'
import { readAuthorities } from '../http/certificates'
import type { Refusals } from '../http/trust'
import { isTenantHeader } from './known'
import { proxyPasswordFor, routeOf, whyNotUsed } from './stored-secrets'
import { proveOpen, readCertainly, type Keychain, marker } from '../processes/keychain'

/** A keychain entry: the profile, or why there is none. */
export type ReadEntry = { ok: true; profile: EnvironmentProfile } | { ok: false; problem: string }

/** Reads a keychain entry. One that isn't readable must stay unchanged. */
function readEntry(text: string): ReadEntry {
  const profile = environmentProfileSchema.safeParse(parse(text))
  const normalized = profile.success ? normalizeBaseUrl(profile.data.baseUrl) : null
  if (profile.success && normalized?.ok)
    return { ok: true, profile: { ...profile.data, baseUrl: normalized.url } }
  return {
    ok: false,
    problem:
      'Its profile in the keychain is damaged. It is left unchanged. Remove the environment and add it again.',
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The profile of a draft, or what is wrong with it. */
export type Drafted = { ok: true; profile: EnvironmentProfile } | { ok: false; issues: FieldIssue[] }

/**
 * Makes the profile of a draft: normalizes its base URL, looks up the refused certificate that it trusts, and fills in
 * values of headers and the proxy's password from `stored` if they may be used (see `whyNotUsed`).
 */
export function profileOf(
  draft: EnvironmentInput,
  stored: EnvironmentProfile | null,
  refusals: Pick<Refusals, 'find'>,
): Drafted {
  const normalized = normalizeBaseUrl(draft.baseUrl)
  if (!normalized.ok) return { ok: false, issues: [{ path: ['baseUrl'], message: normalized.message }] }

  const issues: FieldIssue[] = []
  const trust = trustOf(draft.trust, normalized.url, stored?.trust ?? null, refusals, issues)
  const wanted = { baseUrl: normalized.url, trust, proxy: draft.proxy, tenant: tenantOf(draft, stored) }
  const otherwise = stored && whyNotUsed(routeOf(stored), wanted)
  const headers = draft.headers.map(({ name, value }, index) => {
    const storedValue = stored && storedHeader(stored, name)
    if (value === null && (!storedValue || otherwise)) {
      issues.push({
        path: ['headers', index, 'value'],
        message: storedValue
          ? `Enter the value again: ${otherwise}, and a stored value is used only where it was entered for.`
          : 'Enter the value.',
      })
    }
    return { name, value: value ?? storedValue?.value ?? '' }
  })
  const proxy = proxyOf(draft.proxy, stored?.proxy ?? null, issues)
  if (issues.length > 0) return { ok: false, issues }
  const { id: _id, ...entered } = draft
  const integrations = [...new Set(draft.integrations)]
  return {
    ok: true,
    profile: { ...entered, baseUrl: normalized.url, headers, integrations, trust, proxy },
  }
}

function storedHeader(stored: EnvironmentProfile, name: string): { value: string } | undefined {
  return stored.headers.find((header) => header.name.toLowerCase() === name.toLowerCase())
}

/** The tenant of a draft; the stored one if its value is null. */
function tenantOf({ headers }: EnvironmentInput, stored: EnvironmentProfile | null): string | null {
  const header = headers.find(({ name }) => isTenantHeader(name))
  if (!header) return null
  return header.value ?? (stored && storedHeader(stored, header.name)?.value) ?? null
}

/**
 * The trust of a draft. A certificate is trusted exactly only if it was stored so, or its service has shown it here.
 */
function trustOf(
  draft: TrustInput,
  baseUrl: string,
  stored: Trust | null,
  refusals: Pick<Refusals, 'find'>,
  issues: FieldIssue[],
): Trust {
  if (draft.kind === 'authority') {
    const authorities = readAuthorities(Buffer.from(draft.pem))
    if (authorities.ok) return { ...draft, pem: authorities.pem }
    issues.push({ path: ['trust', 'pem'], message: authorities.problem })
    return draft
  }
  if (draft.kind === 'system') return draft
  if (draft.refusalId === null && stored?.kind === 'exact') return stored
  const seen = draft.refusalId === null ? null : refusals.find(draft.refusalId)
  if (seen && seen.origin === new URL(baseUrl).origin) {
    return { kind: 'exact', certificate: seen.certificate }
  }
  issues.push({
    path: ['trust', 'refusalId'],
    message: 'Check the connection again, then review the certificate that the service presents.',
  })
  return { kind: 'system' }
}

/** The proxy of a draft, with the stored password if the draft keeps it. */
function proxyOf(draft: ProxyInput, stored: Proxy | null, issues: FieldIssue[]): Proxy {
  if (draft.mode !== 'manual') return draft
  const { mode, host, port, credentials } = draft
  if (credentials === null) return { mode, host, port, credentials }
  const password = credentials.password ?? proxyPasswordFor(stored, draft)
  if (password === null) {
    issues.push({
      path: ['proxy', 'credentials', 'password'],
      message:
        stored?.mode === 'manual' && stored.credentials
          ? 'Enter the password again: it is used only with the proxy and the user name it was entered for.'
          : 'Enter the password.',
    })
  }
  return { mode, host, port, credentials: { userName: credentials.userName, password: password ?? '' } }
}

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
  const holder = isKeychainLimit ? "This system's keychain" : 'Slipway'
  const message =
    `${holder} holds ${formatCount(limit)} bytes for an environment, and this one needs ${formatCount(size)}. ` +
    'Shorten its request headers, its CA certificate or its PAC script, or remove known integrations.'
  return [{ path: [], message }]
}

/**
 * The profiles in the keychain, one entry for each environment. Failures are the keychain's. If a locked keychain looks
 * empty on this system, a marker is written with each profile: while that is readable, missing entries don't exist.
 */
export function createProfileStore(keychain: Keychain) {
  return {
    /**
     * Asks whether the keychain can be used. `there`: only whether there is one. `open`: whether it gives out what is
     * stored. `certainly-open`: writes the marker to prove it. The system may then ask for a password, so use that only
     * when the operator requests it.
     */
    async probe(what: 'there' | 'open' | 'certainly-open'): Promise<Outcome<unknown>> {
      const answer = await keychain.get(marker.account)
      return answer.ok && what !== 'there' ? proveOpen(keychain, what === 'certainly-open') : answer
    },

    /** The entry of an environment; null if the keychain is open and has none. */
    async read(id: string): Promise<Outcome<ReadEntry | null>> {
      const found = await readCertainly(keychain, id, false)
      if (!found.ok) return found
      return succeed(found.value === null ? null : readEntry(found.value))
    },

    async write(id: string, profile: EnvironmentProfile): Promise<Outcome<null>> {
      const open = await proveOpen(keychain, true)
      return open.ok ? keychain.set(id, JSON.stringify(profile)) : open
    },

    /** Deletes the entry of an environment, or makes sure that there is none. */
    async erase(id: string): Promise<Outcome<unknown>> {
      const first = await keychain.delete(id)
      if (!first.ok || first.value || !keychain.looksEmptyWhenLocked) return first
      const open = await proveOpen(keychain, true)
      return open.ok ? keychain.delete(id) : open
    },
  }
}
