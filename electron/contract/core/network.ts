import { z } from 'zod'

/** A certificate for display. Whoever made it chose its names, so they prove nothing. */
export const certificateSchema = z.object({
  subject: z.string().max(1000),
  issuer: z.string().max(1000),
  /** ISO 8601 times. */
  validFrom: z.string().max(40),
  validTo: z.string().max(40),
  /** SHA-256 of the whole certificate: 32 bytes in hexadecimal, upper case, with colons. */
  fingerprint: z.string().regex(/^[0-9A-F]{2}(?::[0-9A-F]{2}){31}$/),
})

export type Certificate = z.infer<typeof certificateSchema>

/** The certificates of private authorities from a file or as pasted: in PEM, without anything else, and their content. */
export interface AuthorityFile {
  pem: string
  certificates: Certificate[]
}

/** The longest PEM text of authorities' certificates, in characters. Each usually has 1,000 to 2,500. */
export const longestPem = 60_000

export const systemTrust = z.strictObject({ kind: z.literal('system') })

export const authorityTrust = z.strictObject({
  kind: z.literal('authority'),
  pem: z.string().min(1, 'Choose or paste the certificate of the authority.').max(longestPem),
})

/**
 * Which certificate an environment's service must show.
 * - `system`: one that the system trusts.
 * - `authority`: one that this private authority issued, and no other. Host name and validity are checked.
 * - `exact`: only this certificate, whatever it says. Its public parts are stored to show a change.
 */
export const trustSchema = z.discriminatedUnion('kind', [
  systemTrust,
  authorityTrust,
  z.strictObject({ kind: z.literal('exact'), certificate: certificateSchema }),
])

export type Trust = z.infer<typeof trustSchema>

/**
 * Trust as the dialog saves it. The page can't bring a certificate to trust exactly: it names one that the main
 * process saw and refused (`RefusedCertificate.id`). Null keeps the stored certificate.
 */
export const trustInputSchema = z.discriminatedUnion('kind', [
  systemTrust,
  authorityTrust,
  z.strictObject({ kind: z.literal('exact'), refusalId: z.string().max(100).nullable() }),
])

export type TrustInput = z.infer<typeof trustInputSchema>

/** Trust as the renderer knows it, with the authorities' certificates for display, if they can be read. */
export type TrustView = Exclude<Trust, { kind: 'authority' }> | ({ kind: 'authority' } & AuthorityFile)

const proxyHostSchema = z
  .string()
  .trim()
  .min(1, 'Enter the host of the proxy.')
  .max(255)
  .regex(
    /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])$/,
    'Enter only a host name or address, such as proxy.example.com.',
  )

const portSchema = z
  .int('Enter a port from 1 to 65535.')
  .min(1, 'Enter a port from 1 to 65535.')
  .max(65_535, 'Enter a port from 1 to 65535.')

const userNameSchema = z.string().min(1, 'Enter the user name.').max(200)
const passwordSchema = z
  .string()
  .max(500)
  .refine((text) => !/\p{Cc}/u.test(text), 'Enter the password on one line.')

const pacUrlSchema = z
  .string()
  .trim()
  .max(2000)
  .refine(isPacUrl, 'Enter an address that begins with http:// or https://, without a user name.')

const pacTextSchema = z
  .string()
  .min(1, 'Paste the PAC script.')
  .max(32_000, 'Use at most 32,000 characters.')
  .refine((text) => text.includes('FindProxyForURL'), 'A PAC script has a function FindProxyForURL.')

function isPacUrl(text: string): boolean {
  try {
    const { protocol, username, password } = new URL(text)
    return /^https?:$/.test(protocol) && username === '' && password === ''
  } catch {
    return false
  }
}

/** The proxies that have no password. */
export const proxiesWithoutSecrets = [
  z.strictObject({ mode: z.literal('system') }),
  z.strictObject({ mode: z.literal('none') }),
  z.strictObject({ mode: z.literal('pac-url'), url: pacUrlSchema }),
  z.strictObject({ mode: z.literal('pac-text'), text: pacTextSchema }),
] as const

/** The members of a manual proxy except for its credentials. */
export const proxyAddress = { mode: z.literal('manual'), host: proxyHostSchema, port: portSchema }

/** The proxy of an environment, as the keychain stores it. The password is a secret. */
export const proxySchema = z.discriminatedUnion('mode', [
  ...proxiesWithoutSecrets,
  z.strictObject({
    ...proxyAddress,
    credentials: z.strictObject({ userName: userNameSchema, password: passwordSchema }).nullable(),
  }),
])

export type Proxy = z.infer<typeof proxySchema>

/** The proxy as the dialog saves it. A null password keeps the stored one. */
export const proxyInputSchema = z.discriminatedUnion('mode', [
  ...proxiesWithoutSecrets,
  z.strictObject({
    ...proxyAddress,
    credentials: z.strictObject({ userName: userNameSchema, password: passwordSchema.nullable() }).nullable(),
  }),
])

export type ProxyInput = z.infer<typeof proxyInputSchema>

/** The proxy as the renderer knows it: everything but the password, which exists if there is a user name. */
export type ProxyView =
  | Exclude<Proxy, { mode: 'manual' }>
  | { mode: 'manual'; host: string; port: number; userName: string | null }

/** How the service of an environment is reached: the certificate that it must show, and the proxy. */
export interface NetworkSettings {
  trust: Trust
  proxy: Proxy
}

/** The system's settings, an environment's default. */
export const systemNetwork: NetworkSettings = { trust: { kind: 'system' }, proxy: { mode: 'system' } }

/** A certificate that a service showed and that was refused. */
export interface RefusedCertificate {
  /** The environment whose service it was; null for an environment that isn't saved yet. */
  environmentId: string | null
  host: string
  certificate: Certificate
  /** The exact certificate that is trusted instead: the service now shows another one. */
  expected: Certificate | null
  /** Whether it can be trusted exactly. Not if it was revoked, or an authority was chosen for the environment. */
  trustable: boolean
  /** Identifies the refusal in the main process; null if it doesn't remember the refusal. */
  id: string | null
}
