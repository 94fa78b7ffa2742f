import {
  type EnvironmentInput,
  type EnvironmentProfile,
  type EnvironmentView,
  type FieldIssue,
  type NetworkSettings,
  type Proxy,
  type ProxyInput,
  type ProxyView,
  type Trust,
  type TrustView,
  mendBaseUrl,
} from '@contract'
import { newerEntrySchema, storedProfileSchema } from '@contract/environment'
import { describePem } from '../certificates/describe'
import { readAuthority } from '../certificates/authority'

/** A keychain entry as it was read: the profile, or why there is none and the name it may still tell. */
export type ReadEntry =
  { ok: true; profile: EnvironmentProfile } | { ok: false; problem: string; name: string | null }

/** Reads a keychain entry. It may be of a newer Slipway, or damaged: then it is to be left as it is. */
export function readEntry(text: string): ReadEntry {
  const value = parse(text)
  const profile = storedProfileSchema.safeParse(value)
  const mended = profile.success ? mendBaseUrl(profile.data.baseUrl) : null
  if (profile.success && mended?.ok) return { ok: true, profile: { ...profile.data, baseUrl: mended.url } }

  const newer = newerEntrySchema.safeParse(value)
  if (newer.success) {
    const advice = 'Update Slipway to use it; until then it is left as it is.'
    return {
      ok: false,
      name: newer.data.name,
      problem: `Its profile was saved by a newer version of Slipway. ${advice}`,
    }
  }
  return {
    ok: false,
    name: null,
    problem:
      'Its profile in the keychain is damaged and is left as it is. Remove the environment and add it again.',
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** What the renderer may know of a profile: everything but the values of headers and the password of a proxy. */
export function viewOf(profile: EnvironmentProfile): EnvironmentView {
  return {
    baseUrl: profile.baseUrl,
    mode: profile.mode,
    colour: profile.colour,
    protected: profile.protected,
    headerNames: profile.headers.map((header) => header.name),
    integrations: profile.integrations,
    trust: trustView(profile.trust),
    proxy: proxyView(profile.proxy),
  }
}

function trustView(trust: Trust): TrustView {
  return trust.kind === 'authority' ? { ...trust, certificate: describePem(trust.pem) } : trust
}

function proxyView(proxy: Proxy): ProxyView {
  if (proxy.mode !== 'manual') return proxy
  const { mode, host, port, credentials } = proxy
  return { mode, host, port, userName: credentials?.userName ?? null }
}

/** The profile that a draft makes, or what is wrong with it. */
export type Drafted = { ok: true; profile: EnvironmentProfile } | { ok: false; issues: FieldIssue[] }

/**
 * Makes the profile of a draft: mends its base URL and fills in the header values that it keeps from `stored`.
 *
 * A stored value is kept only for the origin it was entered for: whoever changes the origin has to enter it
 * again. Otherwise anyone who can fill in the dialog, or who has taken over the renderer, could have a secret
 * that the renderer never sees sent to a server of their own, by a check as well as by saving.
 */
export function profileOf(draft: EnvironmentInput, stored: EnvironmentProfile | null): Drafted {
  const mended = mendBaseUrl(draft.baseUrl)
  if (!mended.ok) return { ok: false, issues: [{ path: ['baseUrl'], message: mended.message }] }

  const sameOrigin = stored !== null && new URL(stored.baseUrl).origin === new URL(mended.url).origin
  const issues: FieldIssue[] = []
  const headers = draft.headers.map(({ name, value }, index) => {
    const kept = stored?.headers.find((header) => header.name.toLowerCase() === name.toLowerCase())
    if (value === null && !(kept && sameOrigin)) {
      issues.push({
        path: ['headers', index, 'value'],
        message: kept
          ? 'Enter the value again: the base URL now leads to another server, and a stored value is sent only to the server it was entered for.'
          : 'Enter the value.',
      })
    }
    return { name, value: value ?? kept?.value ?? '' }
  })
  if (draft.trust.kind === 'authority') {
    const authority = readAuthority(draft.trust.pem)
    if (!authority.ok) issues.push({ path: ['trust', 'pem'], message: authority.problem })
  }
  const proxy = proxyOf(draft.proxy, stored?.proxy ?? null, issues)
  if (issues.length > 0) return { ok: false, issues }
  return {
    ok: true,
    profile: {
      version: 2,
      name: draft.name,
      baseUrl: mended.url,
      mode: draft.mode,
      colour: draft.colour,
      protected: draft.protected,
      headers,
      integrations: [...new Set(draft.integrations)],
      trust: draft.trust,
      proxy,
    },
  }
}

/** The proxy of a draft; like a header value, a stored password is kept only for the proxy it was entered for. */
function proxyOf(draft: ProxyInput, stored: Proxy | null, issues: FieldIssue[]): Proxy {
  if (draft.mode !== 'manual') return draft
  const { mode, host, port, credentials } = draft
  if (credentials === null) return { mode, host, port, credentials }
  const kept = stored?.mode === 'manual' ? stored : null
  const same = kept !== null && kept.host.toLowerCase() === host.toLowerCase() && kept.port === port
  const password = credentials.password ?? (same ? kept.credentials?.password : undefined)
  if (password === undefined) {
    issues.push({
      path: ['proxy', 'credentials', 'password'],
      message: kept?.credentials
        ? 'Enter the password again: it is kept only for the proxy it was entered for.'
        : 'Enter the password.',
    })
  }
  return { mode, host, port, credentials: { userName: credentials.userName, password: password ?? '' } }
}

/** How the service of a profile is reached. */
export function networkOf({ trust, proxy }: EnvironmentProfile): NetworkSettings {
  return { trust, proxy }
}

/** Request headers as the HTTP client takes them. */
export function headersOf(profile: EnvironmentProfile): Record<string, string> {
  return Object.fromEntries(profile.headers.map(({ name, value }) => [name, value]))
}
