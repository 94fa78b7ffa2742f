import type { StatusHistory } from '@contract/cache'
import { statusLook } from '@/ui/format/deployment'

/** A count at a moment, in milliseconds since 1970. */
export interface Point {
  at: number
  count: number
}

/** A status over time. Each observed time is a segment, a list of points, oldest first; between segments are gaps. */
export interface StatusLine {
  /** Null stands for all statuses that aren't listed. */
  status: string | null
  segments: Point[][]
  /** The highest count that is shown. */
  max: number
}

/** The label of a line. */
export const lineLabel = (status: string | null): string =>
  status === null ? 'Other statuses' : statusLook(status).label

/** The lines of all statuses that occur: first those in `order`, then the others. */
export function statusLines(
  { moments, observed }: Pick<StatusHistory, 'moments' | 'observed'>,
  order: readonly string[],
): StatusLine[] {
  const statuses = [...new Set(moments.flatMap(({ counts }) => counts.map(({ status }) => status)))]
  const place = (status: string): number => {
    const found = order.indexOf(status)
    return found === -1 ? order.length : found
  }
  statuses.sort((one, other) => place(one) - place(other) || (one < other ? -1 : 1))
  const isMore = moments.some(({ others }) => others > 0)
  return [...statuses, ...(isMore ? [null] : [])].map((status) => {
    const points = moments.map(({ at, counts, others }) => ({
      at: Date.parse(at),
      count: status === null ? others : (counts.find((one) => one.status === status)?.count ?? 0),
    }))
    const segments = observed.flatMap((time, index) => {
      const next = observed[index + 1]
      const until = next ? Date.parse(next.from) : Infinity
      return segmentOf(points, Date.parse(time.from), Date.parse(time.to), until)
    })
    const max = Math.max(...segments.flat().map(({ count }) => count), 0)
    return { status, segments, max }
  })
}

/**
 * The segment of an observed time, with a point at its start and its end; none if it lies before or after all points.
 *
 * @param until when the next observed time begins. A point before that still belongs to this one's end.
 */
function segmentOf(points: readonly Point[], from: number, to: number, until: number): Point[][] {
  const [first] = points
  const last = points.at(-1)
  if (!first || !last || to < first.at || from > last.at) return []
  const start = Math.max(from, first.at)
  const end = Math.min(to, last.at)
  const countAt = (at: number): number =>
    [...points].reverse().find((point) => point.at <= at)?.count ?? first.count
  const after = points.find(({ at }) => at >= end)
  const atEnd = after && after.at < until ? after.count : countAt(end)
  const inside = points.filter(({ at }) => at > start && at < end)
  if (end === start) return [[{ at: start, count: atEnd }]]
  return [[{ at: start, count: countAt(start) }, ...inside, { at: end, count: atEnd }]]
}

/** Counts in the order of the lines, from a moment on (milliseconds since 1970); null if it wasn't observed. */
export interface TableRow {
  at: number
  counts: number[] | null
}

/** The numbers of a chart, oldest first, with a row for each moment at which they change. */
export function tableRows(lines: readonly StatusLine[], from: number, to: number): TableRow[] {
  const segments = lines[0]?.segments ?? []
  const rows: TableRow[] = [{ at: from, counts: null }]
  for (const [place, segment] of segments.entries()) {
    for (const [index, { at }] of segment.entries()) {
      rows.push({ at, counts: lines.map((line) => line.segments[place]?.[index]?.count ?? 0) })
    }
    const end = segment.at(-1)?.at ?? to
    if (end < to) rows.push({ at: end, counts: null })
  }
  // Drops a gap that has no length.
  const distinct = rows.filter(({ at, counts }, index) => counts !== null || rows[index + 1]?.at !== at)
  return distinct.filter(({ counts }, index) => String(distinct[index - 1]?.counts) !== String(counts))
}
