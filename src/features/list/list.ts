import type { DeploymentSummary } from '@contract'
import { isRollingOut, statusesUnderWay } from '@contract/deployment-api/statuses'
import { type ColumnChoice, columnWidths } from '@contract/ipc/screens'
import { answerLimits } from '@contract/deployment-api/list'
import type { LifeOperation } from '@contract/life/offers'
import { operationOf } from '@contract/life/rules'

/** Where the operator wants the list from. `sorted`: the live list, sorted by the cache. */
export type ChosenSource = 'live' | 'cached' | 'sorted'

/** What decides where the list comes from. */
export interface SourceValues {
  chosen: ChosenSource
  /** Whether the search was typed for the cache, which searches more than names, although the live list was chosen. */
  searchesCache: boolean
  isOffline: boolean
  hasCache: boolean
  /** Whether the cache is known to lack deployments. Only a whole one can be sorted. */
  isPartial: boolean
  /** Whether the list is of what is rolling out, which only the cache can tell. */
  rollingOut: boolean
}

/** Where the list comes from, and why. */
export interface ListSource {
  isCached: boolean
  why: 'chosen' | 'sort' | 'offline' | 'search' | 'rollouts'
}

/** Where the list comes from. */
export function sourceOf(values: SourceValues): ListSource {
  const { chosen, searchesCache, isOffline, hasCache, isPartial, rollingOut } = values
  if (chosen === 'cached') return { isCached: true, why: 'chosen' }
  if (chosen === 'sorted' && !isPartial) return { isCached: true, why: 'sort' }
  if (isOffline && (hasCache || rollingOut)) return { isCached: true, why: 'offline' }
  if (rollingOut) return { isCached: true, why: 'rollouts' }
  return searchesCache ? { isCached: true, why: 'search' } : { isCached: false, why: 'chosen' }
}

/** A row of the live list. `gone_at` says since when the service no longer has the deployment (ISO 8601). */
type ListRow = DeploymentSummary & { gone_at?: string | null }

/** Rows after a refresh. */
interface ReadAgain {
  /** In the same order as before; the same object for a row that didn't change. */
  rows: readonly ListRow[]
  /** The identifiers of rows that changed. */
  changed: ReadonlySet<string>
}

/**
 * Updates the rows with what was read. Rows never move: one that no longer passes the filters stays too.
 *
 * @param missing requested identifiers that the service doesn't have
 * @param at when they were requested (ISO 8601)
 */
export function putInto(
  rows: readonly ListRow[],
  read: ReadonlyMap<string, DeploymentSummary>,
  missing: ReadonlySet<string>,
  at: string,
): ReadAgain {
  const changed = new Set<string>()
  const next = rows.map((row) => {
    const now = nextOf(row, read.get(row.id), missing, at)
    if (now !== row) changed.add(row.id)
    return now
  })
  return { rows: changed.size > 0 ? next : rows, changed }
}

function nextOf(
  row: ListRow,
  read: DeploymentSummary | undefined,
  missing: ReadonlySet<string>,
  at: string,
): ListRow {
  if (read) return isSame(row, read) ? row : read
  return missing.has(row.id) && !row.gone_at ? { ...row, gone_at: at } : row
}

function isSame(row: ListRow, read: DeploymentSummary): boolean {
  if (row.gone_at) return false
  return Object.entries(read).every(([key, value]) => row[key as keyof DeploymentSummary] === value)
}

/**
 * The new rows of the list's first page. After a removal, rows of the next page move up behind the known ones. They
 * don't count as new. An unknown row before a known one does, and so does every unknown row if the page has the whole
 * list or no known row.
 */
export function newRows(
  first: readonly DeploymentSummary[],
  known: ReadonlySet<string>,
  isWhole: boolean,
): DeploymentSummary[] {
  const lastKnown = first.reduce((last, { id }, index) => (known.has(id) ? index : last), -1)
  const end = isWhole || lastKnown < 0 ? first.length : lastKnown
  return first.slice(0, end).filter(({ id }) => !known.has(id))
}

/** What stops the list from being refreshed. */
interface Disturbance {
  /** The window is hidden, or the service is out of reach. */
  isAway: boolean
  /** A dialog or a list of options is open, or text is selected. */
  isHeld: boolean
  /** When the operator last typed or scrolled, and now, in milliseconds. */
  usedAt: number
  now: number
}

/** How long the operator must not have typed or scrolled, in milliseconds. */
const calmMs = 1_500

/** Whether a refresh would disturb the operator, or be useless. */
export const wouldDisturb = ({ isAway, isHeld, usedAt, now }: Disturbance): boolean =>
  isAway || isHeld || now - usedAt < calmMs

/** The longest pause after failures, and the longest that a service can ask for, in milliseconds. */
const longestPauseMs = 300_000
const longestRequestedMs = 86_400_000

/**
 * How long to wait before the next refresh of the list, in milliseconds. Each failure doubles the pause, up to five
 * minutes. If the service asks for a longer pause, it gets it, up to a day.
 *
 * @param pauseMs the pause after a success
 * @param failures how many refreshes have failed since the last success
 * @param retryAfterSeconds the pause that the service asked for with the last failure; null if none
 */
export function pauseAfterMs(pauseMs: number, failures: number, retryAfterSeconds: number | null): number {
  if (failures === 0) return pauseMs
  const requestedMs = Math.min((retryAfterSeconds ?? 0) * 1_000, longestRequestedMs)
  return Math.max(Math.min(pauseMs * 2 ** failures, longestPauseMs), requestedMs)
}

/** How soon an open deployment is refreshed, in milliseconds: during its rollout, and after it. */
export const followMs = { rollingOut: 3_000, settled: 30_000 } as const

/** How long a rollout may go without a change before it counts as stuck, in milliseconds. */
const stuckMs = 600_000

type Followed = Pick<DeploymentSummary, 'status' | 'latest_revision_id' | 'active_revision_id'>

/**
 * How soon an open deployment is refreshed, in milliseconds. It counts as rolling out while its status is under way, too.
 *
 * @param unchangedMs how long it hasn't changed, in milliseconds
 */
export function followAfterMs(deployment: Followed, unchangedMs: number): number {
  const isUnderWay = statusesUnderWay.includes(deployment.status) || isRollingOut(deployment)
  return isUnderWay && unchangedMs < stuckMs ? followMs.rollingOut : followMs.settled
}

/**
 * All columns in the last order. Ignores unknown names. A column that is newer than the choices comes after the one
 * that it follows by default.
 *
 * @param keys the names of all columns, in their default order
 * @param always the column that can't be hidden
 */
export function arrangeColumns(
  keys: readonly string[],
  stored: readonly ColumnChoice[],
  always: string,
): ColumnChoice[] {
  const known = stored.filter(
    ({ key }, index) => keys.includes(key) && stored.findIndex((other) => other.key === key) === index,
  )
  const columns = known.map((choice) => (choice.key === always ? { ...choice, isShown: true } : choice))
  for (const [index, key] of keys.entries()) {
    if (columns.some((column) => column.key === key)) continue
    const before = columns.findIndex((column) => column.key === keys[index - 1])
    columns.splice(before + 1, 0, { key, isShown: true, width: null })
  }
  return columns
}

/** The columns with one moved by a place; the same if it is already at the end. */
export function moveColumn(columns: readonly ColumnChoice[], key: string, by: 1 | -1): ColumnChoice[] {
  const from = columns.findIndex((column) => column.key === key)
  const to = from + by
  const next = [...columns]
  const [moved] = next.splice(from, 1)
  if (from < 0 || to < 0 || to >= columns.length || !moved) return [...columns]
  next.splice(to, 0, moved)
  return next
}

/** The columns with one changed. */
export const changeColumn = (
  columns: readonly ColumnChoice[],
  key: string,
  change: Partial<ColumnChoice>,
): ColumnChoice[] => columns.map((column) => (column.key === key ? { ...column, ...change } : column))

/** A width within the limits, in whole pixels. */
export const columnWidth = (pixels: number): number =>
  Math.round(Math.min(columnWidths.max, Math.max(columnWidths.min, pixels)))

/** What can be copied of several rows. */
export type CopiedMember = 'name' | 'id' | 'image_uri' | 'repo_url'

/** A row's text; null if there is none, or if the list has only the beginning of a long one. */
export function wholeText(row: DeploymentSummary, member: CopiedMember): string | null {
  const text = row[member]
  if (text === null || text === '') return null
  const { summaryTextLength: max, identifierLength } = answerLimits
  if (member === 'id') return text.length <= identifierLength ? text : null
  return text.length < max || (text.length === max && !text.endsWith('…')) ? text : null
}

/** The texts of several rows, in their order. Rows without the text are skipped. */
export const wholeTexts = (rows: readonly DeploymentSummary[], member: CopiedMember): string[] =>
  rows.flatMap((row) => wholeText(row, member) ?? [])

/** What can be done with several deployments at once, and how many they may be. */
export const manyTitles = { delete: 'Delete', redeploy: 'Redeploy', 'set-image': 'Set image' } as const
export const mostAtOnce = 100

export type ManyKind = keyof typeof manyTitles

/** Those that a service offers. */
export const offeredMany = (operations: readonly LifeOperation[]): ManyKind[] =>
  (Object.keys(manyTitles) as ManyKind[]).filter((kind) =>
    operations.includes(operationOf(kind === 'set-image' ? 'revision' : kind, operations)),
  )

/**
 * A row of the live or the cached list. `gone_at` says since when the service no longer has the deployment,
 * `fetched_at` as of when the cache has it (ISO 8601).
 */
export type ListedRow = DeploymentSummary & { gone_at?: string | null; fetched_at?: string }
