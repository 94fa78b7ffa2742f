import type { DeploymentPage } from '@contract'
import { type Outcome, succeed } from '@contract/core/outcome'
import { pageLimits } from '@contract/deployment-api/list'
import type { UnreadableItem } from '@contract/deployment-api/reading'
import type { DeploymentSummary } from '@contract/deployment-api/reading/summarise'
import { OrderEvidence } from './order'

/** A page of a list. */
export type ListedPage = Omit<DeploymentPage, 'environmentId'>

/** One list of the service, as far as it has been read. */
interface StatusList {
  /** The status filter of the list. */
  status: string
  /** Rows that were read but not shown yet, in order. */
  waiting: readonly DeploymentSummary[]
  /** The identifiers of all rows that were read. */
  read: ReadonlySet<string>
  /** The offset of the next page; null at the end. */
  next: number | null
  /**
   * The offset of the last row that was read, so that the next page can begin with that row; null if there is no such
   * row.
   */
  joint: number | null
  /** Whether offsets have counted rows so far. */
  countsRows: boolean
  /** When it was last read (ISO 8601); null before. */
  readAt: string | null
}

/**
 * Several lists that are shown as one, up to the beginning of a page. Immutable: reading a page returns the next state.
 */
export interface MergedList {
  lists: readonly StatusList[]
  /** The identifiers of all rows on the pages before. */
  shown: ReadonlySet<string>
  /** What the answers so far say about the order. */
  evidence: OrderEvidence | null
}

/** A page of several lists. */
export interface MergedPage {
  rows: DeploymentSummary[]
  unreadable: UnreadableItem[]
  /** When the oldest of its answers was read (ISO 8601). */
  readAt: string
  /** Whether rows may be missing: a list got stuck, or its pages didn't join. */
  mayBeIncomplete: boolean
  /** Where the next page begins; null at the end. */
  next: MergedList | null
}

/** Reads a page of the list with one status, or with any status for null. */
export type ReadStatus = (
  status: string | null,
  offset: number,
  limit: number,
) => Promise<Outcome<ListedPage>>

/** How many pages a list is read back after rows before its position were removed. */
const maxBack = 5

/** How many times all lists are read for one page, so that it ends whatever a service answers. */
const maxRounds = 20

/** The lists of several statuses, from their beginning. */
export function mergedList(statuses: readonly string[]): MergedList {
  const lists = [...new Set(statuses)].map((status) => ({
    status,
    waiting: [],
    read: new Set<string>(),
    next: 0,
    joint: null,
    countsRows: true,
    readAt: null,
  }))
  return { lists, shown: new Set(), evidence: null }
}

/**
 * Reads the next page of several lists: the rows of all of them in the list's order, each once. The interface promises
 * no order, so it is inferred from the answers. If there is none, the lists follow one another.
 *
 * A row that moves to another list between two reads is shown once, as first read. Fails with the failure of the first
 * list that can't be read. `merged` can then be read again.
 */
export async function readMergedPage(
  merged: MergedList,
  limit: number,
  read: ReadStatus,
): Promise<Outcome<MergedPage>> {
  const shown = new Set(merged.shown)
  const evidence = new OrderEvidence(merged.evidence)
  const rows: DeploymentSummary[] = []
  const unreadable: UnreadableItem[] = []
  let mayBeIncomplete = false
  let lists = merged.lists
  for (let round = 0; rows.length < limit;) {
    if (round < maxRounds && lists.some(isLacking)) {
      round += 1
      const outcomes = await Promise.all(
        lists.map((list) => (isLacking(list) ? readOn(list, limit, read) : Promise.resolve(null))),
      )
      const failed = outcomes.find((outcome) => outcome?.ok === false)
      if (failed?.ok === false) return failed
      lists = lists.map((list, index) => {
        const outcome = outcomes[index]
        if (!outcome?.ok) return list
        unreadable.push(...outcome.value.unreadable)
        mayBeIncomplete ||= outcome.value.mayBeIncomplete
        evidence.note(outcome.value.list.waiting as DeploymentSummary[])
        return outcome.value.list
      })
      continue
    }
    const first = firstOf(lists, evidence)
    if (first === null) break
    const row = lists[first]!.waiting[0]!
    lists = lists.map((list, index) => (index === first ? { ...list, waiting: list.waiting.slice(1) } : list))
    if (shown.has(row.id)) continue
    shown.add(row.id)
    rows.push(row)
  }
  const isEnd = lists.every(({ waiting, next }) => next === null && waiting.every(({ id }) => shown.has(id)))
  const times = lists.flatMap(({ readAt }) => readAt ?? []).sort()
  return succeed({
    rows,
    unreadable,
    readAt: times[0] ?? new Date().toISOString(),
    mayBeIncomplete,
    next: isEnd ? null : { lists, shown, evidence },
  })
}

/** Whether the next row of a list isn't known yet. */
const isLacking = ({ waiting, next }: StatusList): boolean => waiting.length === 0 && next !== null

/** The index of the list whose next row comes first; null if there is none. */
function firstOf(lists: readonly StatusList[], evidence: OrderEvidence): number | null {
  const compare = evidence.comparison() ?? (() => 0)
  let first: number | null = null
  lists.forEach(({ waiting: [row] }, index) => {
    const before = first === null ? undefined : lists[first]!.waiting[0]
    if (row && (!before || compare(row, before) < 0)) first = index
  })
  return first
}

/**
 * Reads the next page of a list. The page should begin with a row that was read before. If it doesn't, rows before it
 * were removed meanwhile, and others have moved to an earlier page. The list goes on from that page. What was read
 * after it is read again, because nothing shows that the two join.
 */
async function readOn(
  list: StatusList,
  pageSize: number,
  read: ReadStatus,
): Promise<Outcome<{ list: StatusList; unreadable: UnreadableItem[]; mayBeIncomplete: boolean }>> {
  const { status, joint } = list
  // One more than the page: the first row is known.
  const limit = Math.min(pageLimits.max, pageSize + 1)
  const begin = list.next ?? 0
  let offset = joint ?? begin
  let outcome = await read(status, offset, limit)
  const joins = ({ value }: { value: ListedPage }): boolean =>
    joint === null || offset === 0 || list.read.has(firstRow(value) ?? '')
  // Further back each time: pages may be short.
  let step = outcome.ok && outcome.value.received > 1 ? outcome.value.received - 1 : limit - 1
  for (let back = 0; back < maxBack && outcome.ok && !joins(outcome); back += 1) {
    offset = Math.max(0, offset - step)
    step *= 2
    outcome = await read(status, offset, limit)
  }
  if (!outcome.ok) return outcome
  const page = outcome.value
  const fresh = page.deployments.filter(({ id }) => !list.read.has(id))
  const last = offset + (lastReadable(page) ?? -1)
  const goesOn = page.nextOffset
  const countsRows = list.countsRows && (goesOn === null || goesOn === offset + page.received)
  const wentBack = offset < (joint ?? begin)
  const isStuck = goesOn !== null && goesOn <= begin && fresh.length === 0 && !wentBack
  return succeed({
    // The pages before that were read again to find the joint have reported theirs.
    unreadable: page.unreadable.filter(({ index }) => offset + index >= begin),
    mayBeIncomplete: isStuck || page.end === 'stuck' || !joins(outcome),
    list: {
      status,
      waiting: fresh,
      read: new Set([...list.read, ...fresh.map(({ id }) => id)]),
      next: isStuck ? null : goesOn,
      // A page that begins where this one did would be read again and again.
      joint: countsRows && last > offset ? last : null,
      countsRows,
      readAt: page.fetchedAt,
    },
  })
}

/** What is needed of a page to tell where its rows are. */
interface PageRows {
  received: number
  deployments: readonly { id: string }[]
  /** The places of those that can't be read. */
  unreadable: readonly { index: number }[]
}

/** The identifier of a page's first row; null if it has none, or one that can't be read. */
export function firstRow({ deployments, unreadable }: PageRows): string | null {
  return unreadable[0]?.index === 0 ? null : (deployments[0]?.id ?? null)
}

/** The place on a page of its last row that can be read; null if there is none. */
export function lastReadable({ received, unreadable }: PageRows): number | null {
  const others = new Set(unreadable.map(({ index }) => index))
  for (let index = received - 1; index >= 0; index -= 1) if (!others.has(index)) return index
  return null
}
