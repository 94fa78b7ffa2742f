import { createHash } from 'node:crypto'
import type { LogEntry, LogLevel } from '../api/life-schemas'
import type { DeploymentAnswer } from '../api/schemas'
import type { Revision } from '../database/revisions'
import { never } from '../database/times'

/** The lines of a log at a time, the oldest first, and whether there will be more. */
export interface Log {
  lines: LogEntry[]
  isComplete: boolean
}

type Source = DeploymentAnswer['source']
type Line = readonly [level: LogLevel, message: string]

/** How long a revision is assumed to have taken if only its start is known, in milliseconds. */
const usualMs = 120_000

/** The sources whose image isn't built here. */
const withoutBuild: readonly Source[] = ['external_docker', 'internal_docker']

/** The log of a revision's build at `now` (milliseconds), in the second quarter of its rollout. */
export function buildLog(revision: Revision, source: Source, now: number): Log {
  return withoutBuild.includes(source)
    ? { lines: [], isComplete: true }
    : logOf(revision, now, 'build', [1 / 4, 1 / 2], buildLines(revision, source))
}

/** The log of a revision's servers at `now` (milliseconds), in the last quarter of its rollout. */
export function serverLog(revision: Revision, now: number): Log {
  if (revision.status_message !== null) return { lines: [], isComplete: true }
  return logOf(revision, now, 'deploy', [3 / 4, 1], serverLines(revision.id))
}

/** Lines until `now`, spread evenly over a part of the rollout. An interruption ends them. */
function logOf(
  { id, status, created_at, updated_at, starts_at, ends_at }: Revision,
  now: number,
  name: string,
  [from, to]: readonly [number, number],
  lines: readonly Line[],
): Log {
  const start = starts_at ?? Date.parse(created_at)
  const duration = (ends_at ?? start + usualMs) - start
  const isInterrupted = status === 'INTERRUPTED'
  const end = isInterrupted ? Date.parse(updated_at) : now
  const first = start + duration * from
  const last = start + duration * to
  if (status === 'QUEUED' || start >= never || first > end) return { lines: [], isComplete: isInterrupted }
  const timeOf = (index: number): number => first + ((last - first) * index) / lines.length
  const entry = ([level, message]: Line, index: number, time: number): LogEntry => ({
    id: `${id}-${name}-${index}`,
    timestamp: new Date(Math.floor(time)).toISOString(),
    level,
    message,
  })
  const written = lines.flatMap((line, index) =>
    timeOf(index) <= end ? [entry(line, index, timeOf(index))] : [],
  )
  if (isInterrupted && last > end) {
    written.push(entry(['WARNING', 'The revision is interrupted.'], written.length, end))
  }
  return { lines: written, isComplete: isInterrupted || last <= end }
}

const origins: Partial<Record<Source, string>> = {
  repohost: 'Cloned the repository.',
  internal_source: 'Unpacked the source archive.',
  internal_template: 'Copied the template.',
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The same lines for a revision every time. They contain nothing that a client sent, which may be secret. */
function buildLines({ id, status_message: failure }: Revision, source: Source): Line[] {
  const steps = 40 + (Number.parseInt(hashOf(id).slice(0, 4), 16) % 80)
  const layers = Array.from({ length: steps }, (_, index): Line => {
    const hash = hashOf(`${id} ${index}`)
    const layer = `Step ${index + 1}/${steps}: layer ${hash.slice(0, 12)}`
    if (hash.startsWith('0')) return ['WARNING', `${layer} is larger than 100 MB.`]
    return hash.startsWith('1') ? ['DEBUG', `${layer} is cached.`] : ['INFO', `${layer} is built.`]
  })
  return [
    ['INFO', `The build of revision ${id} begins. This service simulates it: nothing is run.`],
    ['INFO', origins[source] ?? 'Read the source.'],
    ...(failure === null ? layers : layers.slice(0, steps / 2)),
    failure === null ? ['INFO', `The image sha256:${hashOf(id)} is built.`] : ['ERROR', failure],
  ]
}

function serverLines(id: string): Line[] {
  return [
    ['INFO', `The servers of revision ${id} start. This service simulates them: nothing is run.`],
    ['DEBUG', 'Waiting for the database.'],
    ['INFO', 'The database is up to date.'],
    ['INFO', 'Waiting for Redis.'],
    ['WARNING', 'No tracing project is configured in the environment.'],
    ['INFO', 'The graphs are loaded.'],
    ['INFO', 'The queue has 10 workers.'],
    ['INFO', 'Listening on port 8000.'],
    ['DEBUG', 'GET /ok 200'],
    ['INFO', 'The server is ready.'],
  ]
}
