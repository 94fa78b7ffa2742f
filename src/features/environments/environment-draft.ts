import {
  type Certificate,
  type Environment,
  type EnvironmentInput,
  type EnvironmentView,
  environmentColours,
  environmentInputSchema,
  type FieldIssue,
  fieldIssues,
  foldName,
  normalizeBaseUrl,
  type Proxy,
  type ProxyInput,
  type Trust,
  type TrustInput,
} from '@contract'
import { integrationsSchema, type LinkKind } from '@contract/app/environment'
import type { OpenedEnvironments } from '@contract/app/environment'
import { trimBlanks } from '@contract/core/text'
import { compact, freeName, lookAlike, nicknameOf } from '@/ui/format/words'

/** A request header in the dialog. A stored value never comes back from the keychain: null, or left empty, keeps it. */
export interface HeaderDraft {
  name: string
  stored: boolean
  value: string | null
}

/** The certificate rule in the dialog. The input of each choice is preserved when another is chosen. */
export interface TrustDraft {
  kind: Trust['kind']
  /** The private CA: its text as chosen or pasted, and the certificates that the main process found in it. */
  pem: string
  authorities: readonly Certificate[]
  exact: Certificate | null
  /** The main process's identifier of the refusal of `exact`; null for the stored certificate. */
  refusalId: string | null
}

/** The input of the environment dialog: what it saves, with what is needed to enter it. */
export interface EnvironmentDraft extends Pick<
  EnvironmentInput,
  'id' | 'name' | 'baseUrl' | 'mode' | 'colour' | 'protected' | 'readOnly'
> {
  headers: HeaderDraft[]
  /** Known integrations, with their nicknames. */
  integrations: { id: string; nickname: string }[]
  /** Templates of links; empty for the default. */
  links: Record<LinkKind, string>
  trust: TrustDraft
  /** The input of each mode is preserved when another is chosen. A password of null keeps the stored one. */
  proxy: {
    mode: Proxy['mode']
    host: string
    port: string
    userName: string
    password: string | null
    url: string
    text: string
  }
}

/** A prefilled draft of a new environment, and what the operator has to know about it. */
export interface PrefilledDraft {
  draft: EnvironmentDraft
  notes: string[]
}

/** Errors by field, as the path of its value with dots: `headers.0.name`; `other` for those of no field. */
export type DraftErrors = Record<string, string>

/** The draft's errors, and the input to send if there are none. */
interface CheckedDraft {
  input: EnvironmentInput | null
  errors: DraftErrors
}

/** A draft of a new environment, in the first of the colours that the fewest environments have. */
export function newDraft(environments: Environment[]): EnvironmentDraft {
  const uses = environmentColours.map(
    (colour) => environments.filter(({ profile }) => profile?.colour === colour).length,
  )
  return draftOfProfile(null, '', {
    baseUrl: '',
    mode: 'cloud',
    colour: environmentColours[uses.indexOf(Math.min(...uses))]!,
    protected: false,
    readOnly: false,
    headerNames: [],
    integrations: [],
    nicknames: {},
    trust: { kind: 'system' },
    proxy: { mode: 'system' },
  })
}

/** A draft of an existing environment; null if its profile cannot be read, and so not be edited. */
export const draftOf = ({ id, name, profile }: Environment): EnvironmentDraft | null =>
  profile && draftOfProfile(id, name, profile)

/** A draft with the known parts of a profile, whose secrets are stored. */
function draftOfProfile(id: string | null, name: string, profile: EnvironmentView): EnvironmentDraft {
  const { mode, colour, readOnly, trust, proxy, integrations, nicknames } = profile
  const manual = proxy.mode === 'manual' ? proxy : null
  return {
    id,
    name,
    mode,
    colour,
    readOnly,
    protected: profile.protected,
    baseUrl: profile.baseUrl ?? '',
    headers: profile.headerNames.map((header) => ({ name: header, stored: true, value: null })),
    integrations: integrations.map((one) => ({ id: one, nickname: nicknameOf(one, nicknames) ?? '' })),
    links: { app: '', docs: '', studio: '', dashboard: '', ...profile.links },
    trust: {
      kind: trust.kind,
      pem: trust.kind === 'authority' ? trust.pem : '',
      authorities: trust.kind === 'authority' ? trust.certificates : [],
      exact: trust.kind === 'exact' ? trust.certificate : null,
      refusalId: null,
    },
    proxy: {
      mode: proxy.mode,
      host: manual?.host ?? '',
      port: manual ? String(manual.port) : '',
      userName: manual?.userName ?? '',
      password: manual && manual.userName !== null ? null : '',
      url: proxy.mode === 'pac-url' ? proxy.url : '',
      text: proxy.mode === 'pac-text' ? proxy.text : '',
    },
  }
}

/**
 * A copy of an environment under a free name. It has the names of the request headers, but not their values, the
 * proxy's password or an exactly trusted certificate: the main process uses those only for the environment they were
 * entered for. Null if the profile can't be read.
 */
export function duplicateOf(
  { name, profile }: Environment,
  environments: readonly Environment[],
): PrefilledDraft | null {
  if (!profile) return null
  const notes = compact([
    `Copied from ${name}. ${secretsNote(profile, "aren't copied")}`.trim(),
    profile.trust.kind === 'exact' &&
      "The trusted certificate isn't copied. Check the connection to review it.",
  ])
  const copyName = freeName(
    name,
    (one) => isTaken(one, environments),
    (number) => (number === 1 ? ' copy' : ` copy ${number}`),
  )
  return { draft: withoutSecrets(copyName, profile), notes }
}

/** An environment from a file. The operator decides whether its service, proxy and CA may get their secrets. */
export function importedFrom(
  fileName: string,
  { name, profile }: OpenedEnvironments['environments'][number],
  environments: readonly Environment[],
): PrefilledDraft {
  const alike = alikeName(name, environments)
  const notes = compact([
    `From ${fileName}. Check the base URL: everything that you enter here is sent there. ${secretsNote(profile, "aren't in the file")}`.trim(),
    isTaken(name, environments) && `You already have an environment named ${name}. Change the name.`,
    alike !== null && `This name can be taken for ${alike}, which you have. Change the name.`,
    profile.trust.kind !== 'system' && 'The file brings its own CA certificate. Check it below.',
    profile.proxy.mode !== 'system' && 'The file sets the proxy. Check it below.',
  ])
  return { draft: withoutSecrets(name, profile), notes }
}

/** Whether an environment has this name. */
export const isTaken = (name: string, environments: readonly Environment[]): boolean =>
  environments.some((one) => foldName(one.name) === foldName(name))

/** The name of an environment that `name` can be taken for, such as one in letters of another alphabet; null for none. */
export const alikeName = (name: string, environments: readonly Environment[]): string | null =>
  lookAlike(
    name,
    environments.map((one) => one.name),
  )

/** The text that says which secrets have to be entered; empty if there are none. */
function secretsNote({ headerNames, proxy }: EnvironmentView, why: string): string {
  const needed = compact([
    headerNames.length > 0 && 'the values of the request headers',
    proxy.mode === 'manual' && proxy.userName !== null && 'the password of the proxy',
  ])
  return needed.length === 0 ? '' : `Enter ${needed.join(' and ')}: secrets ${why}.`
}

function withoutSecrets(name: string, profile: EnvironmentView): EnvironmentDraft {
  const trust = profile.trust.kind === 'exact' ? ({ kind: 'system' } as const) : profile.trust
  const draft = draftOfProfile(null, name, { ...profile, trust })
  return {
    ...draft,
    headers: draft.headers.map((header) => ({ name: header.name, stored: false, value: '' })),
    proxy: { ...draft.proxy, password: '' },
  }
}

/** Whether a draft has more than most environments need: a certificate rule, a proxy, links or nicknames of integrations. */
export function hasAdvanced(draft: EnvironmentDraft): boolean {
  const { trust, proxy, links, nicknames } = inputOf(draft)
  return (
    trust.kind !== 'system' ||
    proxy.mode !== 'system' ||
    links !== undefined ||
    Object.keys(nicknames).length > 0
  )
}

/** How many errors are about what is in the section "Advanced". */
export const advancedErrors = (errors: DraftErrors): number =>
  Object.keys(errors).filter((field) => /^(trust|proxy|integrations|links)/.test(field)).length

/** Whether two drafts would be saved differently. Empty rows do not count. */
export const draftsDiffer = (one: EnvironmentDraft, other: EnvironmentDraft): boolean =>
  JSON.stringify(inputOf(one)) !== JSON.stringify(inputOf(other))

/**
 * Whether saving `draft` may make the environment lead to another account. Compares the parts by which the main
 * process identifies an account (`accountIdentity`). The user of a proxy isn't one of them.
 */
export function changesAccount(draft: EnvironmentDraft, before: EnvironmentDraft): boolean {
  const [now, then] = [draft, before].map(inputOf).map(({ baseUrl, headers, trust, proxy }) => {
    const route = proxy.mode === 'manual' ? { ...proxy, credentials: null } : proxy
    return JSON.stringify({ baseUrl, headers, trust, route })
  })
  return now !== then
}

/** The input that saves `draft`. `environments` are all that exist. */
export function saveInput(draft: EnvironmentDraft, environments: Environment[]): CheckedDraft {
  const { input, errors } = checked(draft, inputOf(draft))
  const others = environments.filter(({ id }) => id !== draft.id)
  if (!isTaken(trimBlanks(draft.name), others)) return { input, errors }
  return {
    input: null,
    errors: { name: 'Another environment has this name. Choose a different one.', ...errors },
  }
}

/** The input for a connection check of `draft`, which needs no name. */
export const checkInput = (draft: EnvironmentDraft): CheckedDraft =>
  checked(draft, { ...inputOf(draft), name: 'Connection check' })

/** The issues of this check, or those from the main process, by field of `draft`. */
export function errorsByField(draft: EnvironmentDraft, issues: readonly FieldIssue[]): DraftErrors {
  const errors: DraftErrors = {}
  for (const { path, message } of issues) errors[fieldOf(draft, path)] ??= message
  return errors
}

/** Opens the fields of stored values that the main process wants entered again. */
export function openStored(draft: EnvironmentDraft, issues: readonly FieldIssue[]): void {
  for (const { path } of issues) {
    const [member, index, part] = path
    if (part === 'password') draft.proxy.password ??= ''
    const header = member === 'headers' && part === 'value' ? filledHeaders(draft)[Number(index)] : undefined
    if (header) header.value ??= ''
  }
}

/** The notes below the base URL while it is typed. */
export interface BaseUrlFeedback {
  /** Why the URL is invalid, or null. */
  refusal: string | null
  /** What was corrected, and the URL that will be saved if it differs from the input. */
  notes: string[]
  warnings: string[]
}

/**
 * Checks the base URL of `draft`. `before` is the draft that the dialog began with: stored header values are used only
 * for the origin they were entered for, so a change of origin warns before saving refuses them.
 */
export function baseUrlFeedback(draft: EnvironmentDraft, before: EnvironmentDraft): BaseUrlFeedback {
  const normalized = normalizeBaseUrl(draft.baseUrl)
  if (!normalized.ok) return { refusal: normalized.message, notes: [], warnings: [] }
  const { url, notes, warnings } = normalized
  const earlier = normalizeBaseUrl(before.baseUrl)
  const isElsewhere = earlier.ok && new URL(earlier.url).origin !== new URL(url).origin
  return {
    refusal: null,
    notes: compact([...notes, url !== trimBlanks(draft.baseUrl) && `Will be saved as ${url}`]),
    warnings: compact([
      ...warnings,
      isElsewhere &&
        draft.headers.some(keepsStored) &&
        'A different server: enter the values of the stored headers again.',
    ]),
  }
}

const keepsStored = ({ stored, value }: HeaderDraft): boolean => stored && !value

/** The rows with any input. */
const filledHeaders = ({ headers }: EnvironmentDraft): HeaderDraft[] =>
  headers.filter(({ stored, name, value }) => stored || trimBlanks(name) || value)

const filledIntegrations = ({ integrations }: EnvironmentDraft): EnvironmentDraft['integrations'] =>
  integrations.filter(({ id, nickname }) => trimBlanks(id) || trimBlanks(nickname))

/** An integration's identifier as the key of its nickname. */
const nicknameKey = ({ id }: { id: string }): string => trimBlanks(id).toLowerCase()

function inputOf(draft: EnvironmentDraft): EnvironmentInput {
  const { id, mode, colour, readOnly, trust } = draft
  const links = Object.entries(draft.links)
    .map(([kind, template]) => [kind, trimBlanks(template)] as const)
    .filter(([, template]) => template !== '')
  const integrations = filledIntegrations(draft)
  return {
    id,
    mode,
    colour,
    readOnly,
    protected: draft.protected,
    name: trimBlanks(draft.name),
    baseUrl: trimBlanks(draft.baseUrl),
    headers: filledHeaders(draft).map((header) => ({
      name: trimBlanks(header.name),
      value: keepsStored(header) ? null : trimBlanks(header.value ?? ''),
    })),
    integrations: integrations.map((integration) => trimBlanks(integration.id)),
    nicknames: Object.fromEntries(
      integrations
        .filter(({ nickname }) => trimBlanks(nickname))
        .map((integration) => [nicknameKey(integration), trimBlanks(integration.nickname)]),
    ),
    ...(links.length > 0 ? { links: Object.fromEntries(links) } : {}),
    trust: trustInput(trust),
    proxy: proxyInput(draft.proxy),
  }
}

function trustInput({ kind, pem, exact, refusalId }: TrustDraft): TrustInput {
  if (kind === 'authority') return { kind, pem }
  return kind === 'exact' && exact ? { kind, refusalId } : { kind: 'system' }
}

function proxyInput({
  mode,
  host,
  port,
  userName,
  password,
  url,
  text,
}: EnvironmentDraft['proxy']): ProxyInput {
  if (mode === 'pac-url') return { mode, url: trimBlanks(url) }
  if (mode === 'pac-text') return { mode, text }
  if (mode !== 'manual') return { mode }
  const name = trimBlanks(userName)
  return {
    mode,
    host: trimBlanks(host),
    port: /^\d+$/.test(trimBlanks(port)) ? Number(port) : Number.NaN,
    credentials: name === '' ? null : { userName: name, password },
  }
}

function checked(draft: EnvironmentDraft, input: EnvironmentInput): CheckedDraft {
  const parsed = environmentInputSchema.safeParse(input)
  const errors = parsed.success ? {} : errorsByField(draft, fieldIssues(parsed.error))
  // The schema finds repeated headers too, but only once every row is valid.
  repeated(errors, draft.headers, 'headers', 'name', 'This header is already listed.')
  repeated(errors, draft.integrations, 'integrations', 'id', 'This integration is already listed.')
  const taken = 'Another integration has this nickname.'
  repeated(errors, draft.integrations, 'integrations', 'nickname', taken)
  return { input: Object.keys(errors).length === 0 ? (parsed.data ?? null) : null, errors }
}

/** Adds an error to each row whose member an earlier row has too. */
function repeated<Member extends string>(
  errors: DraftErrors,
  rows: readonly Record<Member, string>[],
  list: string,
  member: Member,
  message: string,
): void {
  const seen = new Set<string>()
  for (const [index, row] of rows.entries()) {
    const text = foldName(trimBlanks(row[member]))
    if (text !== '' && seen.has(text)) errors[`${list}.${index}.${member}`] ??= message
    seen.add(text)
  }
}

/** The field that an issue of an input is about. Empty rows aren't in the input. */
function fieldOf(draft: EnvironmentDraft, path: FieldIssue['path']): string {
  const [member, index, part] = path
  if (member === 'headers' && typeof index === 'number') {
    const header = filledHeaders(draft)[index]
    // A stored header that is kept has no value field to show the message at.
    if (header) return `headers.${draft.headers.indexOf(header)}.${header.value === null ? 'name' : part}`
  }
  if (member === 'integrations' || member === 'nicknames') {
    const all = filledIntegrations(draft)
    const integration =
      member === 'integrations' ? all[Number(index)] : all.find((one) => nicknameKey(one) === index)
    const isNickname = member === 'nicknames' && integrationsSchema.safeParse([index]).success
    if (integration)
      return `integrations.${draft.integrations.indexOf(integration)}.${isNickname ? 'nickname' : 'id'}`
  }
  if (member === 'trust') return 'trust'
  if (member === 'proxy') return `proxy.${path.slice(1).at(-1) ?? 'mode'}`
  return member === 'name' || member === 'baseUrl' || member === 'links' ? path.join('.') : 'other'
}
