import { z } from 'zod'
import { environmentModes } from '../core/labels'
import { longestLink, normalizeBaseUrl } from '../core/url'
import {
  proxyInputSchema,
  proxySchema,
  systemNetwork,
  trustInputSchema,
  trustSchema,
  type TrustView,
  type ProxyView,
} from '../core/network'
import { isVisible } from '../core/text'

export * from '../core/labels'

const environmentModeSchema = z.enum(environmentModes)

/**
 * The colours that an environment can have; the theme gives each its tones for light and dark. None is red, which means
 * danger.
 */
export const environmentColours = [
  'blue',
  'teal',
  'green',
  'amber',
  'brown',
  'purple',
  'pink',
  'grey',
] as const

const environmentColourSchema = z.enum(environmentColours)

export type EnvironmentColour = z.infer<typeof environmentColourSchema>

/** Headers that the HTTP client sets itself, or that would change what a request is. */
const reservedHeaders = [
  'accept',
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'origin',
  'proxy-authorization',
  'proxy-connection',
  'referer',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** The name of a request header: a token (RFC 9110, 5.6.2) that the HTTP client doesn't set itself. */
export const headerNameSchema = z
  .string()
  .trim()
  .max(200, 'Use at most 200 characters.')
  .regex(
    /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/,
    "Use letters, digits and - _ . only; a header's name has no spaces.",
  )
  .refine((name) => !reservedHeaders.includes(name.toLowerCase()) && !/^(sec|proxy)-/i.test(name), {
    message: 'The application sets this header itself.',
  })

/**
 * Headers that make a service or gateway handle a request as another one: with another method, path or host, for a part
 * only, under a condition, or from a cache. Also headers that make Chromium send nothing.
 */
const meddlingHeaders =
  /^(?:(?:x-)?(?:http-)?method(?:-override)?|x-(?:original|rewrite|forwarded)-(?:url|uri|path|prefix|method|host|server|port|proto|scheme|for)|forwarded|range|if-.*|content-.*|cache-control|pragma|via|date|cookie2|set-cookie2?)$/i

export const enteredHeaderNameSchema = headerNameSchema.refine((name) => !meddlingHeaders.test(name), {
  message: "With this header a service could take Slipway's requests for others.",
})

/** The identifier of an environment, attempt, draft or template. Slipway chooses it. */
export const identifierSchema = z.string().max(100)

/** The value of a request header (RFC 9110, 5.5): visible ASCII characters, with spaces and tabs inside. A secret. */
export const headerValueSchema = z
  .string()
  .trim()
  .min(1, 'Enter the value.')
  .max(8192, 'Use at most 8,192 characters.')
  .regex(
    /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/,
    'A header value is one line of plain ASCII characters.',
  )

export const visibleOnly = 'Use visible characters only.'

/** The name of an environment. Invisible characters could make one look like another. */
export const enteredNameSchema = z
  .string()
  .trim()
  .min(1, 'Enter a name.')
  .max(60, 'Use at most 60 characters.')
  .refine(isVisible, visibleOnly)

const maxIntegrations = 200

export const integrationsSchema = z.array(z.guid('Enter a valid ID (UUID).')).max(maxIntegrations)

const nicknameSchema = z
  .string()
  .trim()
  .min(1, 'Enter a nickname.')
  .max(60, 'Use at most 60 characters.')
  .refine(isVisible, visibleOnly)

/** The nicknames of integrations, by their identifiers in lower case. */
const nicknamesSchema = z
  .record(z.guid().toLowerCase(), nicknameSchema)
  .refine((nicknames) => Object.keys(nicknames).length <= maxIntegrations, {
    message: `Use at most ${maxIntegrations} nicknames.`,
  })

/** The links of a deployment to pages about it. */
export const linkKinds = ['app', 'docs', 'studio', 'dashboard'] as const

export type LinkKind = (typeof linkKinds)[number]

/** Templates of links in place of the default ones (`src/ui/format/links.ts`). */
const linksSchema = z.partialRecord(
  z.enum(linkKinds),
  z
    .string()
    .trim()
    .max(longestLink, 'Use at most 2,000 characters.')
    .regex(/^(?:https?:\/\/|\{custom_url\}|\{origin\})/, 'Begin with https://, {custom_url} or {origin}.')
    .refine(isVisible, visibleOnly),
)

export type Links = z.infer<typeof linksSchema>

/**
 * How many environments an operator can add, and how many bytes each may take in the keychain. Other programs share the
 * keychain, and each entry slows down every later change. The largest PAC script and certificate still fit.
 */
export const environmentLimits = { count: 200, profileBytes: 131_072 } as const

/** The members of an environment that have the same form wherever it is kept, entered and shared. */
export const environmentMembers = {
  mode: environmentModeSchema,
  colour: environmentColourSchema,
  protected: z.boolean(),
  readOnly: z.boolean(),
  integrations: integrationsSchema,
  nicknames: nicknamesSchema,
  links: linksSchema.optional(),
}

export const environmentProfileSchema = z.object({
  name: enteredNameSchema,
  baseUrl: z.string(),
  ...environmentMembers,
  headers: z.array(z.object({ name: enteredHeaderNameSchema, value: headerValueSchema })),
  trust: trustSchema,
  proxy: proxySchema,
})

export type EnvironmentProfile = z.infer<typeof environmentProfileSchema>

/** A base URL as entered. It is normalized when it is saved. */
export const enteredBaseUrlSchema = z.string().superRefine((text, context) => {
  const normalized = normalizeBaseUrl(text)
  if (!normalized.ok) context.addIssue({ code: 'custom', message: normalized.message })
})

/**
 * What the environment dialog saves. `id` is null for a new environment. A null `value` of a header or `password` of a
 * proxy keeps the stored one, which the renderer never gets. That is possible only if origin, trust, proxy and tenant
 * are still those that it was entered for.
 */
export const environmentInputSchema = z.strictObject({
  id: identifierSchema.nullable(),
  name: enteredNameSchema,
  baseUrl: enteredBaseUrlSchema,
  ...environmentMembers,
  readOnly: z.boolean().default(false),
  headers: z
    .array(z.strictObject({ name: enteredHeaderNameSchema, value: headerValueSchema.nullable() }))
    .max(50)
    .superRefine((headers, context) => {
      headers.forEach(({ name }, index) => {
        const first = headers.findIndex((header) => header.name.toLowerCase() === name.toLowerCase())
        if (first !== index) {
          context.addIssue({
            code: 'custom',
            path: [index, 'name'],
            message: 'This header is already there.',
          })
        }
      })
    }),
  nicknames: nicknamesSchema.default({}),
  trust: trustInputSchema.default({ kind: 'system' }),
  proxy: proxyInputSchema.default(systemNetwork.proxy),
})

export type EnvironmentInput = z.infer<typeof environmentInputSchema>

/** What the renderer knows of a profile: everything but header values and the proxy's password. */
export interface EnvironmentView extends Omit<
  EnvironmentProfile,
  'name' | 'baseUrl' | 'headers' | 'trust' | 'proxy'
> {
  /** Null for a built-in environment whose service hasn't started yet. */
  baseUrl: string | null
  headerNames: string[]
  trust: TrustView
  proxy: ProxyView
}

/** An environment in the list. `profile` is null if it can't be read; `problem` then says why. */
export interface Environment {
  id: string
  name: string
  /** Where its profile is: in the application itself, in the keychain, or in memory for this session. */
  storage: 'built-in' | 'keychain' | 'session'
  profile: EnvironmentView | null
  /**
   * Identifies the service, tenant and account that the environment leads to, and the route there (base URL, request
   * headers, proxy, certificate rule), in this session only. When it changes, nothing stays that was shown before. Null
   * if the profile can't be read.
   */
  service: string | null
  problem: string | null
}

/** The state of the keychain: `unknown` until the first request to it. */
export interface KeychainState {
  state: 'unknown' | 'available' | 'locked' | 'missing' | 'unresponsive'
  /** What it means and what to do, for the operator; null if the keychain is available. */
  message: string | null
}

/**
 * What the last requests to the current environment showed. `denied`: the service answers, but doesn't accept the
 * request headers. `at` is when, as an ISO 8601 time. `reason` is why it isn't `online`, or the error that a service
 * answers that is.
 */
export interface Connection {
  environmentId: string
  state: 'unknown' | 'online' | 'denied' | 'offline'
  at: string | null
  reason: string | null
}

/** The result of "Check connection", which requests one deployment. */
export interface ConnectionCheck {
  /** What the service answered, in one sentence. */
  message: string
  /** Why the mode of the draft may be wrong; null if nothing suggests that. */
  warning: string | null
  durationMs: number
  /** The base URL of the request, normalised. */
  baseUrl: string
  /** Whether the service isn't at the draft's base URL, but was found at this one. */
  isElsewhere: boolean
}

/** Identifiers of the built-in environments, which exist from the first start. */
export const builtInEnvironments = {
  cloud: { id: 'built-in-cloud', name: 'Sandbox (cloud)' },
  'self-hosted': { id: 'built-in-self-hosted', name: 'Sandbox (self-hosted)' },
} as const

export const environmentsToSaveSchema = z.strictObject({
  ids: z.array(identifierSchema).min(1).max(environmentLimits.count),
})

/**
 * Where the environments were saved (null if the operator cancelled), how many, and the names of those that can't be in
 * a file.
 */
export interface SavedEnvironments {
  path: string | null
  written: number
  leftOut: string[]
}

/** The environments of a file that the operator chose; none is added yet. Null if the operator chose no file. */
export type OpenedEnvironments = {
  fileName: string
  environments: { name: string; profile: EnvironmentView }[]
}
