/** Looks with shorter pauses count as one time of looking, in milliseconds. */
export const pauseMs = 10 * 60_000

/** Answers to one request differ by minutes at most. A larger difference means that the clock was set. */
export const clockWasSetMs = 10 * 60_000

/** A time from one moment to another, in milliseconds since 1970. */
export interface Time {
  from: number
  to: number
}

/** The times, cut off at a moment: if the clock was set back since, some are later. */
export const timesUntil = (times: readonly Time[], end: number): Time[] =>
  times.filter(({ from }) => from <= end).map(({ from, to }) => ({ from, to: Math.min(to, end) }))

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

/** `count` moments that divide a time evenly, oldest first. The first and the last one are its ends. */
export function evenMoments({ from, to }: Time, count: number): number[] {
  return Array.from({ length: count }, (_, index) => from + ((to - from) * index) / (count - 1))
}
