import { z } from 'zod'
import { type FieldIssue, fieldIssues } from '@contract'
import {
  enteredBaseUrlSchema,
  enteredHeaderNameSchema,
  enteredNameSchema,
  environmentLimits,
  environmentMembers,
  visibleOnly,
} from '@contract/app/environment'
import { authorityTrust, proxiesWithoutSecrets, proxyAddress, systemTrust } from '@contract/core/network'
import { isVisible, shownText } from '@contract/core/text'

/** The largest file with environments, in bytes, written and read. */
export const largestEnvironmentFile = 4_000_000

/** Whether a text of several lines has no characters that can't be seen. A PAC script could hide code behind them. */
const areLinesVisible = (text: string): boolean => isVisible(text.replace(/[\t\r\n]/g, ''))

/**
 * An environment in a file: what another operator needs to add it, and nothing secret. It lacks the values of request
 * headers, and the proxy's user name and password. It also lacks a certificate that is trusted exactly: on each
 * machine, the service has to show it first.
 */
export const sharedEnvironmentSchema = z.strictObject({
  name: enteredNameSchema,
  baseUrl: enteredBaseUrlSchema.refine(isVisible, visibleOnly),
  ...environmentMembers,
  headers: z.array(enteredHeaderNameSchema).max(50),
  trust: z
    .discriminatedUnion('kind', [systemTrust, authorityTrust])
    .refine((trust) => trust.kind === 'system' || areLinesVisible(trust.pem), visibleOnly),
  proxy: z
    .discriminatedUnion('mode', [...proxiesWithoutSecrets, z.strictObject(proxyAddress)])
    .refine((proxy) => proxy.mode !== 'pac-url' || isVisible(proxy.url), visibleOnly)
    .refine((proxy) => proxy.mode !== 'pac-text' || areLinesVisible(proxy.text), visibleOnly),
})

export type SharedEnvironment = z.infer<typeof sharedEnvironmentSchema>

const environmentFileSchema = z.strictObject({
  format: z.literal('slipway-environments'),
  version: z.literal(1),
  environments: z
    .array(sharedEnvironmentSchema)
    .min(1, 'There are none.')
    .max(environmentLimits.count, `Use at most ${environmentLimits.count} environments.`),
})

/** What is in a file with environments; if it isn't one, where it is wrong. */
export type ReadEnvironmentFile =
  | { state: 'read'; environments: SharedEnvironment[] }
  | { state: 'invalid'; issues: FieldIssue[] }

export function readEnvironmentFile(value: unknown): ReadEnvironmentFile {
  const parsed = environmentFileSchema.safeParse(value)
  if (parsed.success) return { state: 'read', environments: parsed.data.environments }
  const environments = listOnly.safeParse(value).data?.environments ?? []
  return { state: 'invalid', issues: fieldIssues(parsed.error).map((issue) => named(issue, environments)) }
}

/** The labels of an environment's members, and of those in trust and proxy that have a field of their own. */
const labels: Readonly<Record<string, string>> = {
  name: 'Name',
  baseUrl: 'Base URL',
  mode: 'Mode',
  colour: 'Colour',
  protected: 'Protected',
  readOnly: 'Read-only',
  headers: 'Header name',
  integrations: 'Known integration',
  nicknames: 'Nickname of integration',
  links: 'Link',
  trust: 'Certificate',
  'trust.pem': 'CA certificate (PEM)',
  proxy: 'Proxy',
  'proxy.host': 'Proxy host',
  'proxy.port': 'Proxy port',
  'proxy.url': 'PAC URL',
  'proxy.text': 'PAC script text',
} satisfies Record<keyof SharedEnvironment, string> & Record<string, string>

/** Reads the list of a file that isn't valid, whatever is in it. */
const listOnly = z.object({ environments: z.array(z.unknown()) })

const nameOnly = z.object({ name: z.string().min(1) })

/** An issue that names the environment, by its place and its name, and the field by its label. */
function named({ path, message }: FieldIssue, environments: readonly unknown[]): FieldIssue {
  const [list, index, member, part] = path
  if (list !== 'environments') return { path, message }
  if (typeof index !== 'number') return { path: [], message }
  const { data } = nameOnly.safeParse(environments[index])
  const which = `Environment ${index + 1}${data ? ` ("${shownText(data.name, { max: 60 })}")` : ''}`
  const key = member === 'nicknames' && part !== undefined ? ` "${shownText(String(part), { max: 60 })}"` : ''
  const place = typeof part === 'number' ? ` ${part + 1}` : key
  const own = labels[`${member}`]
  const label = labels[`${member}.${part}`] ?? (own === undefined ? undefined : own + place)
  return { path: [], message: `${which}${label === undefined ? '' : `, ${label}`}: ${message}` }
}
