import type { ListFilters } from '../deployment-api/deployment'
import { splitIds } from '../deployment-api/list'

/** The values of a filter's kinds, as its field has them: texts as typed, null for no choice. */
export interface FilterValues {
  text: string
  /** Comma-separated identifiers. */
  ids: string
  flag: boolean
  choice: string | null
  label: string | null
  statuses: string[]
  'yes-no': 'yes' | 'no' | null
}

/** Members of the list's query (interface: List deployments). */
export type SentFilters = { [Name in Exclude<keyof ListFilters, 'status'>]?: NonNullable<ListFilters[Name]> }

interface FilterDescription {
  kind: keyof FilterValues
  /** Its name for the operator. */
  label: string
  /** The same in a view's summary, if it is another. */
  summary?: string
  /** Its member of the list's query (interface: List deployments). Without one, only Slipway or the cache knows it. */
  sent?: keyof SentFilters
  /** Whether it may name deployments or show which ones matter: then only an encrypted file remembers it. */
  isPrivate?: boolean
  /** Whether the cache can't apply it, because no answer shows it. Such a list can't be watched either. */
  isLiveOnly?: boolean
}

/**
 * The filters of the list, in the order of a view's summary. Their fields, requests, views, choices and summaries follow
 * from this. Free of zod, because the first screen needs it.
 */
export const listFilters = {
  favourites: { kind: 'flag', label: 'Favourites', isPrivate: true },
  label: { kind: 'label', label: 'Label', isPrivate: true },
  name: { kind: 'text', label: 'Search', sent: 'name_contains', isPrivate: true },
  rollingOut: { kind: 'flag', label: 'Rolling out' },
  /** The query takes one status: several are read as a list each. */
  statuses: { kind: 'statuses', label: 'Status' },
  deploymentType: { kind: 'choice', label: 'Deployment type', summary: 'Type', sent: 'deployment_type' },
  remoteReconciled: {
    kind: 'yes-no',
    label: 'Remote reconciled',
    sent: 'remote_reconciled',
    isLiveOnly: true,
  },
  imageVersion: { kind: 'text', label: 'Image version', sent: 'image_version', isPrivate: true },
  tagValueIds: {
    kind: 'ids',
    label: 'Tag value IDs',
    sent: 'tag_value_ids',
    isPrivate: true,
    isLiveOnly: true,
  },
  deploymentIds: { kind: 'ids', label: 'Deployment IDs', sent: 'deployment_ids', isPrivate: true },
} as const satisfies Record<string, FilterDescription>

type Filters = typeof listFilters
export type FilterName = keyof Filters
export type FilterFields = { [Name in FilterName]: FilterValues[Filters[Name]['kind']] }
/** The names of the filters that only an encrypted file remembers. */
export type PrivateFilter = {
  [Name in FilterName]: Filters[Name] extends { isPrivate: true } ? Name : never
}[FilterName]
export type PublicFilter = Exclude<FilterName, PrivateFilter>

export const filterNames = Object.keys(listFilters) as FilterName[]
export const descriptionOf = (name: FilterName): FilterDescription => listFilters[name]
const isPrivate = (name: FilterName): name is PrivateFilter => descriptionOf(name).isPrivate ?? false

const empty = { text: '', ids: '', flag: false, choice: null, label: null, 'yes-no': null } as const

export const noFilters = (): FilterFields =>
  Object.fromEntries(
    filterNames.map((name) => {
      const { kind } = listFilters[name]
      return [name, kind === 'statuses' ? [] : empty[kind]]
    }),
  ) as unknown as FilterFields

const pick = <Name extends FilterName>(
  fields: FilterFields,
  picks: (name: FilterName) => name is Name,
): Pick<FilterFields, Name> =>
  Object.fromEntries(filterNames.filter(picks).map((name) => [name, fields[name]])) as Pick<
    FilterFields,
    Name
  >

/** The filters that choices remember, and those that only an encrypted file does. */
export const publicFilters = (fields: FilterFields): Pick<FilterFields, PublicFilter> =>
  pick(fields, (name): name is PublicFilter => !isPrivate(name))
export const privateFilters = (fields: FilterFields): Pick<FilterFields, PrivateFilter> =>
  pick(fields, isPrivate)

export function isInUse(fields: FilterFields, name: FilterName): boolean {
  const value = fields[name]
  if (Array.isArray(value)) return value.length > 0
  if (typeof value !== 'string') return Boolean(value)
  return descriptionOf(name).kind === 'ids' ? splitIds(value).length > 0 : value.trim() !== ''
}

/** The filters in use that the cache can't apply. */
export const liveOnlyIn = (fields: FilterFields): FilterDescription[] =>
  filterNames
    .filter((name) => isInUse(fields, name))
    .map(descriptionOf)
    .filter(({ isLiveOnly }) => isLiveOnly)

/** The members of the list's query that the cache can't apply. */
export const liveOnlyMembers: readonly (keyof SentFilters)[] = filterNames
  .map(descriptionOf)
  .flatMap(({ isLiveOnly, sent }) => (isLiveOnly && sent ? [sent] : []))

/** The filters in use as members of the list's query, without the status. */
export const sentFilters = (fields: FilterFields): SentFilters =>
  Object.fromEntries(
    filterNames.flatMap((name) => {
      const { kind, sent } = descriptionOf(name)
      if (sent === undefined || !isInUse(fields, name)) return []
      const value = fields[name] as string
      const text = kind === 'ids' ? splitIds(value).join(',') : value.trim()
      return [[sent, kind === 'yes-no' ? value === 'yes' : text]]
    }),
  )
