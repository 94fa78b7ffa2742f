import {
  parseAnswer,
  type Read,
  readAs,
  readDetail,
  readFound,
  readIdentifier,
  readNamed,
  readPage,
  readRepositories,
  unread,
} from '@contract'
import { readEnvironmentFile } from '@contract/app/environment-file'
import { readViewsFile } from '@contract/cache'
import { readChoices, readHeld } from '@contract/life/choices'
import { readLog } from '@contract/life/logs'
import { readRoutes } from '@contract/life/offers'
import { readRevisions } from '@contract/life/revisions'

/**
 * The readers of answers, where `limit` is the number of items that were requested, and of files that the operator
 * chose.
 */
const readers = {
  page: (answer: unknown, { limit }: { limit: number }) => readPage(answer, limit),
  named: (answer: unknown, { limit, name }: { limit: number; name: string }) =>
    readNamed(answer, limit, name),
  found: (answer: unknown, { limit, id }: { limit: number; id: string }) => readFound(answer, limit, id),
  detail: readDetail,
  identifier: (answer: unknown) => readAs(readIdentifier(answer)),
  repositories: readRepositories,
  routes(answer: unknown) {
    const routes = readRoutes(answer)
    return routes ? readAs(routes) : unread('expected an OpenAPI document')
  },
  choices: readChoices,
  revisions: (answer: unknown, { limit, offset }: { limit: number; offset: number }) =>
    readRevisions(answer, limit, offset),
  log: readLog,
  held: (answer: unknown, { id }: { id: string }) => readHeld(answer, id),
  'environment-file': (value: unknown) => readAs(readEnvironmentFile(value)),
  'views-file': (value: unknown) => readAs(readViewsFile(value)),
}

type Readers = typeof readers

/** What to read from an answer or a file. */
export type ReadJob = {
  [Kind in keyof Readers]: { kind: Kind } & (Readers[Kind] extends (
    answer: unknown,
    job: infer Job,
  ) => unknown
    ? Job
    : never)
}[keyof Readers]

/** The result of a job. */
export type ResultOf<Job extends ReadJob> = Extract<ReturnType<Readers[Job['kind']]>, { ok: true }>['value']

/** The end of a job. `not-json`: the body isn't JSON, or exceeds the limit for parsing. */
export type JobEnd<T> = { ok: true; value: T } | { ok: false; why: 'not-json' | 'unlike'; reason: string }

/** Parses the body of an answer, or the bytes of a file, and runs the job. Never throws. */
export function runJob<Job extends ReadJob>(job: Job, body: Uint8Array): JobEnd<ResultOf<Job>> {
  const parsed = parseAnswer(body)
  if (!parsed.ok) return { ok: false, why: 'not-json', reason: parsed.reason }
  const reader = readers[job.kind] as (answer: unknown, job: ReadJob) => Read<ResultOf<Job>>
  const read = reader(parsed.value, job)
  return read.ok ? read : { ok: false, why: 'unlike', reason: read.reason }
}
