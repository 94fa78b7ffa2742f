import type { DeploymentSummary } from '@contract'
import { pageLimits } from '@contract/deployment-api/list/list-limits'
import { statusesUnderWay } from '@contract/deployment-api/statuses'

/** A row of the live list; `gone_at` says since when the service no longer has it (ISO 8601). */
type ListRow = DeploymentSummary & { gone_at?: string | null }

/** Rows after they were read again. */
interface ReadAgain {
  /** In the order of before; the same object where nothing changed. */
  rows: readonly ListRow[]
  /** The identifiers of rows that changed. */
  changed: ReadonlySet<string>
}

/** The most characters of identifiers in one request: every network takes a URL of that length. */
const mostCharacters = 4_000

/** Identifiers in batches, each as long as one request takes. One with a comma can't be asked for and is left out. */
export function idBatches(ids: readonly string[]): string[][] {
  const batches: string[][] = []
  let length = 0
  for (const id of ids.filter((one) => !one.includes(','))) {
    const last = batches.at(-1)
    length += id.length + 1
    if (last && last.length < pageLimits.max && length <= mostCharacters) last.push(id)
    else {
      batches.push([id])
      length = id.length + 1
    }
  }
  return batches
}

/**
 * Puts what was read into the rows. Rows never move: one that no longer passes the filters stays too.
 *
 * @param missing identifiers that the service was asked for and doesn't have
 * @param at when that was (ISO 8601)
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
 * The rows of the list's first page that are new. Where rows were removed, rows of the next page move up behind the known
 * ones; those are not new. A row before a known one is, and so is every unknown one where the page has the whole list.
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

/** What keeps the list from being read again. */
interface Disturbance {
  /** The window is hidden or the service out of reach. */
  isAway: boolean
  /** A dialog or a list of options is open, or text is selected. */
  isHeld: boolean
  /** When the operator last typed or scrolled, and now, in milliseconds. */
  usedAt: number
  now: number
}

/** How long typing and scrolling must pause, in milliseconds. */
const calmMs = 1_500

/** Whether reading the list again would disturb, or be in vain. */
export const wouldDisturb = ({ isAway, isHeld, usedAt, now }: Disturbance): boolean =>
  isAway || isHeld || now - usedAt < calmMs

/** The longest pause that failures lead to, and the longest that a service can ask for, in milliseconds. */
const longestPauseMs = 300_000
const longestAskedMs = 86_400_000

/**
 * How long the list isn't read again, in milliseconds: each failure doubles the pause, up to five minutes. A service that
 * asks to wait longer is left alone for that long, up to a day.
 *
 * @param usualMs the pause after a good read
 * @param failures how many reads have failed since the last good one
 * @param retryAfterSeconds what the service asked for with the last failure; null if nothing
 */
export function pauseAfterMs(usualMs: number, failures: number, retryAfterSeconds: number | null): number {
  if (failures === 0) return usualMs
  const asked = Math.min((retryAfterSeconds ?? 0) * 1_000, longestAskedMs)
  return Math.max(Math.min(usualMs * 2 ** failures, longestPauseMs), asked)
}

/** How soon an open deployment is read again, in milliseconds: while it rolls out, and after that. */
export const followMs = { rollingOut: 3_000, settled: 30_000 } as const

/** How long a rollout may show no change before it counts as stuck, in milliseconds. */
const stuckMs = 600_000

type Followed = Pick<DeploymentSummary, 'status' | 'latest_revision_id' | 'active_revision_id'>

/**
 * How soon an open deployment is read again, in milliseconds. It rolls out while its status is under way, or while its
 * latest revision isn't the active one.
 *
 * @param unchangedMs how long it has shown no change, in milliseconds
 */
export function followAfterMs(deployment: Followed, unchangedMs: number): number {
  const { status, latest_revision_id: latest, active_revision_id: active } = deployment
  const isRollingOut = statusesUnderWay.includes(status) || (latest !== null && latest !== active)
  return isRollingOut && unchangedMs < stuckMs ? followMs.rollingOut : followMs.settled
}
