import { z } from 'zod'
import { normalizeBaseUrl } from '../core/base-url'
import { environmentModeSchema } from '../core/mode'
import {
  proxyInputSchema,
  proxySchema,
  proxyViewSchema,
  systemNetwork,
  trustInputSchema,
  trustSchema,
  trustViewSchema,
} from '../core/network'

/** The colours that an environment can have; the theme gives each its tones for light and dark. */
export const environmentColours = ['blue', 'teal', 'green', 'amber', 'red', 'purple', 'pink', 'grey'] as const

const environmentColourSchema = z.enum(environmentColours)

export type EnvironmentColour = z.infer<typeof environmentColourSchema>

/** Headers that the HTTP client sets itself or that would change what a request is. */
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

/** Name of a request header: a token of RFC 9110, 5.6.2, and not one that the client sets itself. */
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
 * Headers by which a service, or a gateway in front of it, takes a request for another one: of another method, to another
 * path or host, for a part, under a condition or of a cache. And those that Chromium sends nothing with.
 */
const meddlingHeaders =
  /^(?:(?:x-)?(?:http-)?method(?:-override)?|x-(?:original|rewrite|forwarded)-(?:url|uri|path|prefix|method|host|server|port|proto|scheme|for)|forwarded|range|if-.*|content-.*|cache-control|pragma|via|date|cookie2|set-cookie2?)$/i

/** Name of a request header that is entered. Profiles of earlier versions may have others. */
const enteredHeaderNameSchema = headerNameSchema.refine((name) => !meddlingHeaders.test(name), {
  message: "With this header a service could take Slipway's requests for others.",
})

/** An identifier that Slipway gave: of an environment, an attempt, a draft or a template. */
export const identifierSchema = z.string().max(100)

/** Value of a request header (RFC 9110, 5.5): visible ASCII characters, spaces and tabs inside. A secret. */
export const headerValueSchema = z
  .string()
  .trim()
  .min(1, 'Enter the value.')
  .max(8192, 'Use at most 8,192 characters.')
  .regex(
    /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/,
    'A header value is one line of plain ASCII characters.',
  )

const nameSchema = z
  .string()
  .trim()
  .min(1, 'Enter a name.')
  .max(60, 'Use at most 60 characters.')
  // Control and bidirectional-formatting characters could make one environment look like another.
  .refine((name) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name), 'Use visible characters only.')

const integrationsSchema = z.array(z.guid('This is not an identifier (UUID).')).max(200)

/**
 * How many environments of their own anybody has, and how many bytes one may take in the keychain, which other programs
 * share: every entry makes each later change of it slower. Far more than anybody needs, with the largest PAC script
 * and certificate.
 */
export const environmentLimits = { count: 200, profileBytes: 131_072 } as const

const firstProfileSchema = z.object({
  version: z.literal(1),
  name: nameSchema,
  baseUrl: z.string(),
  mode: environmentModeSchema,
  colour: environmentColourSchema,
  protected: z.boolean(),
  headers: z.array(z.object({ name: headerNameSchema, value: headerValueSchema })),
  integrations: integrationsSchema,
})

/**
 * The profile of an environment as the keychain keeps it. `version` tells an entry of a newer Slipway, which is
 * left as it is. Version 2 added trust and proxy.
 */
const environmentProfileSchema = firstProfileSchema.extend({
  version: z.literal(2),
  trust: trustSchema,
  proxy: proxySchema,
})

export type EnvironmentProfile = z.infer<typeof environmentProfileSchema>

/** A profile of this version or an earlier one, raised to this version; it is stored so when it is next saved. */
export const storedProfileSchema = z.union([
  environmentProfileSchema,
  firstProfileSchema.transform((first): EnvironmentProfile => ({ ...first, version: 2, ...systemNetwork })),
])

/** What can be told of an entry that a newer Slipway has written: that it is newer, and perhaps its name. */
export const newerEntrySchema = z.looseObject({
  version: z.number().gt(2),
  name: nameSchema.nullable().catch(null),
})

/**
 * What the environment dialog saves. `id` null adds an environment. A header's `value` and a proxy's `password`
 * that are null keep the stored one, since neither ever comes back to the renderer: possible only where the service is
 * reached as it was when they were entered (origin, trust, proxy and tenant).
 */
export const environmentInputSchema = z.strictObject({
  id: identifierSchema.nullable(),
  name: nameSchema,
  baseUrl: z.string().superRefine((text, context) => {
    const mended = normalizeBaseUrl(text)
    if (!mended.ok) context.addIssue({ code: 'custom', message: mended.message })
  }),
  mode: environmentModeSchema,
  colour: environmentColourSchema,
  protected: z.boolean(),
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
  integrations: integrationsSchema,
  trust: trustInputSchema.default({ kind: 'system' }),
  proxy: proxyInputSchema.default(systemNetwork.proxy),
})

export type EnvironmentInput = z.infer<typeof environmentInputSchema>

/** What the renderer knows of a profile: everything but the values of headers and the password of a proxy. */
const environmentViewSchema = z.object({
  /** Null for a built-in environment whose service has not been started. */
  baseUrl: z.string().nullable(),
  mode: environmentModeSchema,
  colour: environmentColourSchema,
  protected: z.boolean(),
  headerNames: z.array(z.string()),
  integrations: z.array(z.string()),
  trust: trustViewSchema,
  proxy: proxyViewSchema,
})

export type EnvironmentView = z.infer<typeof environmentViewSchema>

/** An environment in the list. `profile` is null while it cannot be read; `problem` then says why. */
export const environmentSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** Where its profile is: in the application itself, in the keychain, or only in this session's memory. */
  kept: z.enum(['built-in', 'keychain', 'session']),
  profile: environmentViewSchema.nullable(),
  /**
   * Stands for the service, tenant and account that it leads to, and the way there (base URL, request headers, proxy and
   * certificate rule), in this session only: what was shown of one is not shown of another. Null while the profile cannot
   * be read.
   */
  service: z.string().nullable(),
  problem: z.string().nullable(),
})

export type Environment = z.infer<typeof environmentSchema>

/** What is known of the keychain: `unknown` until it was first asked. */
export const keychainStateSchema = z.object({
  state: z.enum(['unknown', 'available', 'locked', 'missing', 'unresponsive']),
  /** What it means and what to do, for people; null when it is available. */
  message: z.string().nullable(),
})

export type KeychainState = z.infer<typeof keychainStateSchema>

/** What the last requests to the current environment showed. `at` is when, as an ISO 8601 time. */
export const connectionSchema = z.object({
  environmentId: z.string(),
  state: z.enum(['unknown', 'online', 'offline']),
  at: z.string().nullable(),
  reason: z.string().nullable(),
})

export type Connection = z.infer<typeof connectionSchema>

/** What "Check connection" found: a request for one deployment. */
export const connectionCheckSchema = z.object({
  /** What came back, in one sentence. */
  message: z.string(),
  durationMs: z.number(),
  /** The base URL that was asked, mended. */
  baseUrl: z.string(),
})

export type ConnectionCheck = z.infer<typeof connectionCheckSchema>

/** Identifiers of the built-in environments, which exist from the first start. */
export const builtInEnvironments = {
  cloud: { id: 'built-in-cloud', name: 'Sandbox (cloud)' },
  'self-hosted': { id: 'built-in-self-hosted', name: 'Sandbox (self-hosted)' },
} as const
