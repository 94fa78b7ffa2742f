import type { z } from '@hono/zod-openapi'
import type { logPageSchema, LogQuery } from '../../api/log-schemas'
import type { Log } from './log-lines'

/** A page of a log. An offset is the number of a line, so new lines don't shift the others. */
export function pageOf({ lines, isComplete }: Log, requested: LogQuery): z.infer<typeof logPageSchema> {
  const { order, limit, offset } = requested
  const matches = lines.flatMap((line, index) => (isRequested(line, requested) ? [{ line, index }] : []))
  const from = offset === null || offset === undefined ? null : Number(offset)
  if (order === 'asc') {
    const left = matches.filter(({ index }) => index >= (from ?? 0))
    const end = isComplete ? null : String(lines.length)
    return {
      logs: left.slice(0, limit).map(({ line }) => line),
      next_offset: nextOf(left[limit]?.index, end),
    }
  }
  const left = matches.filter(({ index }) => index < (from ?? lines.length)).reverse()
  const next = left[limit]?.index
  return {
    logs: left.slice(0, limit).map(({ line }) => line),
    next_offset: nextOf(next === undefined ? undefined : next + 1, null),
  }
}

const nextOf = (next: number | undefined, end: string | null): string | null =>
  next === undefined ? end : String(next)

function isRequested(
  { timestamp, level, message }: Log['lines'][number],
  { query, level: wanted, start_time, end_time }: LogQuery,
): boolean {
  const time = Date.parse(timestamp)
  return (
    (!query || message.toLowerCase().includes(query.toLowerCase())) &&
    (!wanted || level === wanted) &&
    (!start_time || time >= timeOf(start_time)) &&
    (!end_time || time < timeOf(end_time))
  )
}

/** A time without a zone is UTC. */
const timeOf = (text: string): number => Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`)
