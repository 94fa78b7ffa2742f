import {
  type Environment,
  type EnvironmentColour,
  type EnvironmentInput,
  type EnvironmentMode,
  type EnvironmentView,
  environmentColours,
  environmentInputSchema,
  type FieldIssue,
  fieldIssues,
  foldName,
  normalizeBaseUrl,
} from '@contract'
import { integrationsSchema, type LinkKind, type Links } from '@contract/app/environment'
import { trimBlanks } from '@contract/core/text'
import { nicknameOf } from '@/format/integration'
import {
  networkField,
  type ProxyDraft,
  proxyDraft,
  proxyInput,
  type TrustDraft,
  trustDraft,
  trustInput,
} from './network-draft'

/**
 * A request header in the dialog. A stored value never comes back from the keychain: it is kept unless `replacing` is
 * on and a new value was typed.
 */
export interface HeaderDraft {
  key: number
  stored: boolean
  replacing: boolean
  name: string
  value: string
}

/** A known integration in the dialog. */
export interface IntegrationDraft {
  key: number
  id: string
  /** Empty if it has none. */
  nickname: string
}

/** The input of the environment dialog. `id` is null for a new environment. */
export interface EnvironmentDraft {
  id: string | null
  name: string
  baseUrl: string
  mode: EnvironmentMode
  colour: EnvironmentColour
  protected: boolean
  readOnly: boolean
  headers: HeaderDraft[]
  integrations: IntegrationDraft[]
  /** Templates of links; empty for the default. */
  links: Record<LinkKind, string>
  trust: TrustDraft
  proxy: ProxyDraft
}

/**
 * Errors by field: `name`, `baseUrl`, `header-KEY-name`, `header-KEY-value`, `integration-KEY`, `nickname-KEY`,
 * `link-KIND`, `trust`, `proxy-MEMBER`, and `other` for those of no field.
 */
export type DraftErrors = Record<string, string>

/** An input that can be sent, or the draft's errors. */
export type DraftOutcome = { ok: true; input: EnvironmentInput } | { ok: false; errors: DraftErrors }

/** A draft of a new environment, in the colour that the fewest environments have. */
export function newDraft(environments: Environment[]): EnvironmentDraft {
  return {
    id: null,
    name: '',
    baseUrl: '',
    mode: 'cloud',
    colour: rarestColour(environments),
    protected: false,
    readOnly: false,
    headers: [],
    integrations: [],
    links: linksDraft(),
    trust: trustDraft(null),
    proxy: proxyDraft(null),
  }
}

const linksDraft = (links: Links = {}): EnvironmentDraft['links'] => ({
  app: '',
  docs: '',
  studio: '',
  dashboard: '',
  ...links,
})

/** The first of the least used colours, so that all colours are used in turn. */
function rarestColour(environments: Environment[]): EnvironmentColour {
  const uses = (colour: EnvironmentColour): number =>
    environments.filter(({ profile }) => profile?.colour === colour).length
  return environmentColours.reduce((rarest, colour) => (uses(colour) < uses(rarest) ? colour : rarest))
}

/** A draft of an existing environment; null if its profile cannot be read, and so not be edited. */
export function draftOf(environment: Environment): EnvironmentDraft | null {
  return environment.profile && draftOfProfile(environment, environment.profile)
}

/** A draft with the known parts of a profile, whose secrets are stored. */
export function draftOfProfile(
  { id, name }: Pick<EnvironmentDraft, 'id' | 'name'>,
  profile: EnvironmentView,
): EnvironmentDraft {
  return {
    id,
    name,
    baseUrl: profile.baseUrl ?? '',
    mode: profile.mode,
    colour: profile.colour,
    protected: profile.protected,
    readOnly: profile.readOnly,
    headers: profile.headerNames.map((header, key) => ({
      key,
      stored: true,
      replacing: false,
      name: header,
      value: '',
    })),
    integrations: profile.integrations.map((integration, key) => ({
      key,
      id: integration,
      nickname: nicknameOf(integration, profile.nicknames) ?? '',
    })),
    links: linksDraft(profile.links),
    trust: trustDraft(profile.trust),
    proxy: proxyDraft(profile.proxy),
  }
}

/** Whether a draft has more than most environments need: a certificate rule, a proxy, links or nicknames of integrations. */
export function hasAdvanced({ trust, proxy, links, integrations }: EnvironmentDraft): boolean {
  return (
    trust.kind !== 'system' ||
    proxy.mode !== 'system' ||
    Object.values(links).some((template) => trimBlanks(template) !== '') ||
    integrations.some(({ nickname }) => trimBlanks(nickname) !== '')
  )
}

/** How many errors are about what is in the section "Advanced". */
export function advancedErrors(errors: DraftErrors): number {
  return Object.keys(errors).filter((field) => /^(trust|proxy|integration|nickname|link)(-|$)/.test(field))
    .length
}

/** A key that no row uses. */
export function nextKey(rows: { key: number }[]): number {
  return rows.reduce((highest, row) => Math.max(highest, row.key), -1) + 1
}

/** Whether two drafts would be saved differently. Empty rows do not count. */
export function draftsDiffer(one: EnvironmentDraft, other: EnvironmentDraft): boolean {
  return JSON.stringify(inputOf(one)) !== JSON.stringify(inputOf(other))
}

/**
 * Whether saving `draft` may make the environment lead to another account. Compares the parts by which the main
 * process identifies an account (`accountIdentity`). The user of a proxy isn't one of them.
 */
export function changesAccount(draft: EnvironmentDraft, before: EnvironmentDraft): boolean {
  const [now, then] = [draft, before].map(inputOf).map(({ baseUrl, headers, trust, proxy }) => {
    const route = proxy.mode === 'manual' ? { ...proxy, credentials: null } : proxy
    return JSON.stringify({ baseUrl: trimBlanks(baseUrl), headers, trust, route })
  })
  return now !== then
}

/** The input that saves `draft`, or its errors by field. `environments` are all that exist. */
export function saveInput(draft: EnvironmentDraft, environments: Environment[]): DraftOutcome {
  const outcome = validate(draft, inputOf(draft))
  const errors = outcome.ok ? {} : outcome.errors
  const taken = environments.some(
    (environment) =>
      environment.id !== draft.id && foldName(environment.name) === foldName(trimBlanks(draft.name)),
  )
  if (taken) errors.name ??= 'Another environment has this name. Choose a different one.'
  return Object.keys(errors).length > 0 ? { ok: false, errors } : outcome
}

/** The input for a connection check of `draft`, which needs no name. */
export function checkInput(draft: EnvironmentDraft): DraftOutcome {
  return validate(draft, { ...inputOf(draft), name: 'Connection check' })
}

/** The issues of this check, or those from the main process, by field of `draft`. */
export function errorsByField(draft: EnvironmentDraft, issues: FieldIssue[]): DraftErrors {
  const errors: DraftErrors = {}
  for (const issue of issues) errors[fieldOf(draft, issue.path)] ??= issue.message
  return errors
}

/** Opens the fields of stored values that the main process wants entered again. */
export function openStored(draft: EnvironmentDraft, issues: FieldIssue[]): void {
  for (const { path } of issues) {
    const [member, index, part] = path
    if (part === 'password') draft.proxy.replacing = true
    if (member !== 'headers' || typeof index !== 'number' || part !== 'value') continue
    const header = filledHeaders(draft)[index]
    if (header?.stored) header.replacing = true
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

  const notes = [...normalized.notes]
  if (normalized.url !== trimBlanks(draft.baseUrl)) notes.push(`Will be saved as ${normalized.url}`)

  const warnings = [...normalized.warnings]
  const keeps = draft.headers.some((header) => header.stored && keepsStoredValue(header))
  const earlier = normalizeBaseUrl(before.baseUrl)
  if (keeps && earlier.ok && new URL(earlier.url).origin !== new URL(normalized.url).origin) {
    warnings.push('A different server: enter the values of the stored headers again.')
  }
  return { refusal: null, notes, warnings }
}

function keepsStoredValue(header: HeaderDraft): boolean {
  return !header.replacing || header.value === ''
}

/** The rows with any input. */
function filledHeaders(draft: EnvironmentDraft): HeaderDraft[] {
  return draft.headers.filter(
    (header) => header.stored || trimBlanks(header.name) !== '' || header.value !== '',
  )
}

function filledIntegrations(draft: EnvironmentDraft): IntegrationDraft[] {
  return draft.integrations.filter(({ id, nickname }) => trimBlanks(id) !== '' || trimBlanks(nickname) !== '')
}

/** An integration's identifier as the key of its nickname. */
const nicknameKey = ({ id }: IntegrationDraft): string => trimBlanks(id).toLowerCase()

const hasValidId = ({ id }: IntegrationDraft): boolean =>
  integrationsSchema.safeParse([trimBlanks(id)]).success

function inputOf(draft: EnvironmentDraft): EnvironmentInput {
  const links = Object.entries(draft.links)
    .map(([kind, template]) => [kind, trimBlanks(template)] as const)
    .filter(([, template]) => template !== '')
  return {
    id: draft.id,
    name: trimBlanks(draft.name),
    baseUrl: trimBlanks(draft.baseUrl),
    mode: draft.mode,
    colour: draft.colour,
    protected: draft.protected,
    readOnly: draft.readOnly,
    headers: filledHeaders(draft).map((header) => ({
      name: trimBlanks(header.name),
      value: header.stored && keepsStoredValue(header) ? null : trimBlanks(header.value),
    })),
    integrations: filledIntegrations(draft).map((integration) => trimBlanks(integration.id)),
    nicknames: Object.fromEntries(
      filledIntegrations(draft)
        .filter(({ nickname }) => trimBlanks(nickname) !== '')
        .map((integration) => [nicknameKey(integration), trimBlanks(integration.nickname)]),
    ),
    ...(links.length > 0 ? { links: Object.fromEntries(links) } : {}),
    trust: trustInput(draft.trust),
    proxy: proxyInput(draft.proxy),
  }
}

function validate(draft: EnvironmentDraft, input: EnvironmentInput): DraftOutcome {
  const parsed = environmentInputSchema.safeParse(input)
  const errors = parsed.success ? {} : errorsByField(draft, fieldIssues(parsed.error))
  for (const [key, message] of duplicates(draft)) errors[key] ??= message
  return parsed.success && Object.keys(errors).length === 0
    ? { ok: true, input: parsed.data }
    : { ok: false, errors }
}

/** Repeated rows. The schema finds repeated headers too, but only once every row is valid. */
function* duplicates(draft: EnvironmentDraft): Generator<[string, string]> {
  const headers = new Set<string>()
  for (const header of filledHeaders(draft)) {
    const name = trimBlanks(header.name).toLowerCase()
    if (name !== '' && headers.has(name))
      yield [`header-${header.key}-name`, 'This header is already listed.']
    headers.add(name)
  }
  const integrations = new Set<string>()
  const nicknames = new Set<string>()
  for (const integration of filledIntegrations(draft)) {
    const id = nicknameKey(integration)
    if (integrations.has(id)) yield [`integration-${integration.key}`, 'This integration is already listed.']
    integrations.add(id)
    const nickname = foldName(trimBlanks(integration.nickname))
    if (nickname !== '' && nicknames.has(nickname))
      yield [`nickname-${integration.key}`, 'Another integration has this nickname.']
    nicknames.add(nickname)
  }
}

function fieldOf(draft: EnvironmentDraft, path: FieldIssue['path']): string {
  const [member, index, part] = path
  if (member === 'name' || member === 'baseUrl') return member
  if (member === 'headers' && typeof index === 'number') {
    const header = filledHeaders(draft)[index]
    // A stored header that is kept has no value field to show the message at.
    const atValue = part === 'value' && (!header?.stored || header.replacing)
    if (header) return `header-${header.key}-${atValue ? 'value' : 'name'}`
  }
  if (member === 'integrations' && typeof index === 'number') {
    const integration = filledIntegrations(draft)[index]
    if (integration) return `integration-${integration.key}`
  }
  if (member === 'nicknames') {
    const integration = filledIntegrations(draft).find((one) => nicknameKey(one) === index)
    if (integration) return `${hasValidId(integration) ? 'nickname' : 'integration'}-${integration.key}`
  }
  if (member === 'links') return `link-${index}`
  return networkField(path) ?? 'other'
}
