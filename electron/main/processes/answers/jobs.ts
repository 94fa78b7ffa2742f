import { type ReadEnvironmentFile, readEnvironmentFile } from '@contract/app/environment-file'
import { readViewsFile, type ViewContent } from '@contract/cache'
import { type Choice, type HeldDeployment, readChoices, readHeld } from '@contract/life/choices'
import { type LogPage, readLog } from '@contract/life/logs'
import { readRoutes } from '@contract/life/offers'
import { readRevisions, type RevisionPage } from '@contract/life/revisions'
import {
  parseAnswer,
  type Read,
  readDetail,
  type ReadDetail,
  readFound,
  readIdentifier,
  type ReadFound,
  readNamed,
  type ReadNamed,
  readPage,
  type ReadPage,
  readRepositories,
  type ReadRepositories,
} from '@contract'

/**
 * What to read from an answer, where `limit` is the number of items that were requested, or from a file that the
 * operator chose.
 */
export type ReadJob =
  | { kind: 'page'; limit: number }
  | { kind: 'named'; limit: number; name: string }
  | { kind: 'found'; limit: number; id: string }
  | { kind: 'detail' }
  | { kind: 'identifier' }
  | { kind: 'repositories' }
  | { kind: 'routes' }
  | { kind: 'choices' }
  | { kind: 'revisions'; limit: number; offset: number }
  | { kind: 'log' }
  | { kind: 'held'; id: string }
  | { kind: 'environment-file' }
  | { kind: 'views-file' }

/** The result of each kind of job. */
interface Results {
  page: ReadPage
  named: ReadNamed
  found: ReadFound
  detail: ReadDetail
  identifier: string | null
  repositories: ReadRepositories
  routes: string[]
  choices: Choice[]
  revisions: Omit<RevisionPage, 'readAt'>
  log: LogPage
  held: HeldDeployment | null
  'environment-file': ReadEnvironmentFile
  'views-file': ViewContent[] | null
}

export type ResultOf<Job extends ReadJob> = Results[Job['kind']]

/** The end of a job. `not-json`: the body isn't JSON, or exceeds the limit for parsing. */
export type JobEnd<T> = { ok: true; value: T } | { ok: false; why: 'not-json' | 'unlike'; reason: string }

/** Parses the body of an answer, or the bytes of a file, and runs the job. Never throws. */
export function runJob<Job extends ReadJob>(job: Job, body: Uint8Array): JobEnd<ResultOf<Job>> {
  const parsed = parseAnswer(body)
  if (!parsed.ok) return { ok: false, why: 'not-json', reason: parsed.reason }
  const read = readAs(job, parsed.value) as Read<ResultOf<Job>>
  return read.ok ? read : { ok: false, why: 'unlike', reason: read.reason }
}

function readAs(job: ReadJob, answer: unknown): Read<Results[keyof Results]> {
  switch (job.kind) {
    case 'page':
      return readPage(answer, job.limit)
    case 'named':
      return readNamed(answer, job.limit, job.name)
    case 'found':
      return readFound(answer, job.limit, job.id)
    case 'detail':
      return readDetail(answer)
    case 'identifier':
      return { ok: true, value: readIdentifier(answer) }
    case 'repositories':
      return readRepositories(answer)
    case 'routes': {
      const routes = readRoutes(answer)
      return routes ? { ok: true, value: routes } : { ok: false, reason: 'expected an OpenAPI document' }
    }
    case 'choices':
      return readChoices(answer)
    case 'revisions':
      return readRevisions(answer, job.limit, job.offset)
    case 'log':
      return readLog(answer)
    case 'held':
      return readHeld(answer, job.id)
    case 'environment-file':
      return { ok: true, value: readEnvironmentFile(answer) }
    case 'views-file':
      return { ok: true, value: readViewsFile(answer) }
  }
}
