import type { Change, DeploymentHistory, HistoryEntry } from '@contract/cache'

/** What one answer showed of a deployment. */
export type TimelinePoint = Pick<HistoryEntry, 'point' | 'seenAt' | 'previousAt' | 'by'> & {
  kind: 'point'
  changes: Change[]
}

/** A time when nobody looked: what happened then is unknown. */
export interface TimelineGap {
  kind: 'gap'
  from: string
  /** Null if nobody has looked since. */
  to: string | null
}

/**
 * The history of a deployment, newest first, with its gaps. A gap is between two times of looking, and after the last
 * one.
 *
 * @param now in milliseconds since 1970
 */
export function timelineOf(
  { entries, observed }: Pick<DeploymentHistory, 'entries' | 'observed'>,
  now: number,
): (TimelinePoint | TimelineGap)[] {
  const gaps = gapsIn(observed, now)
  const timeline: (TimelinePoint | TimelineGap)[] = []
  for (const point of pointsOf(entries)) {
    while (gaps[0] && Date.parse(gaps[0].from) >= Date.parse(point.seenAt)) timeline.push(gaps.shift()!)
    timeline.push(point)
  }
  return [...timeline, ...gaps]
}

/** The gaps between times of looking, newest first. */
function gapsIn(observed: DeploymentHistory['observed'], now: number): TimelineGap[] {
  const looked = observed.map(({ from, to }) => ({ from: Date.parse(from), to: Date.parse(to) }))
  const times = mergedTimes(looked, pauseMs)
  const gaps = times.map(({ to }, index): TimelineGap => {
    const next = times[index + 1]
    return { kind: 'gap', from: iso(to), to: next ? iso(next.from) : null }
  })
  const last = times.at(-1)
  if (last && now - last.to <= pauseMs) gaps.pop()
  return gaps.reverse()
}

function pointsOf(entries: readonly HistoryEntry[]): TimelinePoint[] {
  const points: TimelinePoint[] = []
  for (const { point, seenAt, previousAt, by, kind, member, before, after } of entries) {
    if (points.at(-1)?.point !== point) {
      points.push({ kind: 'point', point, seenAt, previousAt, by, changes: [] })
    }
    points.at(-1)!.changes.push({ kind, member, before, after })
  }
  return points
}

const iso = (moment: number): string => new Date(moment).toISOString()

/** Looks with shorter pauses count as one time of looking, in milliseconds. */
export const pauseMs = 10 * 60_000

/** A time from one moment to another, in milliseconds since 1970. */
export interface Time {
  from: number
  to: number
}

/** The times, oldest first. Those no further apart than `pauseMs` are joined. */
export function mergedTimes(times: readonly Time[], pauseMs: number): Time[] {
  const merged: Time[] = []
  for (const { from, to } of [...times].sort((one, other) => one.from - other.from)) {
    const last = merged.at(-1)
    if (last && from - last.to <= pauseMs) last.to = Math.max(last.to, to)
    else merged.push({ from, to })
  }
  return merged
}
