import type { DeploymentSummary } from '@contract'
import { isRollingOut, statusesUnderWay } from '@contract/deployment-api/statuses'

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
