import type { StatusHistory } from '@contract/cache'

/** A count at a moment, in milliseconds since 1970. */
export interface Point {
  at: number
  count: number
}

/** A status over the times in which it was observed: a list of points for each, oldest first. Between them are gaps. */
export interface StatusLine {
  status: string
  segments: Point[][]
  /** The highest count that is shown. */
  max: number
}

/** The lines of all statuses that occur, in the order of `order`, others behind. */
export function statusLines(
  { moments, observed }: Pick<StatusHistory, 'moments' | 'observed'>,
  order: readonly string[],
): StatusLine[] {
  const statuses = [...new Set(moments.flatMap(({ counts }) => counts.map(({ status }) => status)))]
  const place = (status: string): number => {
    const found = order.indexOf(status)
    return found === -1 ? order.length : found
  }
  return statuses
    .sort((one, other) => place(one) - place(other) || (one < other ? -1 : 1))
    .map((status) => {
      const points = moments.map(({ at, counts }) => ({
        at: Date.parse(at),
        count: counts.find((one) => one.status === status)?.count ?? 0,
      }))
      const segments = observed.flatMap((time) =>
        segmentOf(points, Date.parse(time.from), Date.parse(time.to)),
      )
      const max = Math.max(...segments.flat().map(({ count }) => count), 0)
      return { status, segments, max }
    })
}

/** The points of an observed time, which begins and ends with one; none if it lies before or behind all points. */
function segmentOf(points: readonly Point[], from: number, to: number): Point[][] {
  const [first] = points
  const last = points.at(-1)
  if (!first || !last || to < first.at || from > last.at) return []
  const start = Math.max(from, first.at)
  const end = Math.min(to, last.at)
  const countAt = (at: number): number =>
    [...points].reverse().find((point) => point.at <= at)?.count ?? first.count
  const inside = points.filter(({ at }) => at > start && at < end)
  const edges = end > start ? [{ at: end, count: countAt(end) }] : []
  return [[{ at: start, count: countAt(start) }, ...inside, ...edges]]
}

/** Counts in the order of the statuses, from a moment on; null where nobody looked. */
export interface TableRow {
  at: string
  counts: number[] | null
}

/** The numbers of a chart, oldest first, with a row for each moment from which they differ. */
export function tableRows(
  moments: StatusHistory['moments'],
  observed: StatusHistory['observed'],
  statuses: readonly string[],
): TableRow[] {
  const rows = moments.map(({ at, counts }) => ({
    at,
    counts: isObserved(at, observed)
      ? statuses.map((status) => counts.find((one) => one.status === status)?.count ?? 0)
      : null,
  }))
  return rows.filter(({ counts }, index) => {
    const before = rows[index - 1]
    return !before || String(before.counts) !== String(counts)
  })
}

/** Whether a moment (ISO 8601) was observed. */
const isObserved = (at: string, observed: StatusHistory['observed']): boolean =>
  observed.some(({ from, to }) => Date.parse(from) <= Date.parse(at) && Date.parse(at) <= Date.parse(to))
