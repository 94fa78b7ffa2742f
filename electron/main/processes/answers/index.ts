import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import {
  fail,
  type Failure,
  failure,
  type Outcome,
  succeed,
  parseAnswer,
  type Read,
  readAs,
  readDetail,
  readPage,
  readRepositories,
  unread,
} from '@contract'
import { readViewsFile } from '@contract/cache'
import { readFound, readIdentifier, readNamed } from './lookup'
import { readChoices, readHeld, readLog, readRevisions, readRoutes } from './life'
import { raceTimeout, Sequencer } from '../../async'
import { readEnvironmentFile } from '../../environments/file'
import { errorCode } from '../../files'
import type { HttpAnswer } from '../../http/client'

/**
 * Answers up to this size are read in this process, which takes some milliseconds: more than a usual page, and less
 * than the start of a thread. Larger answers would block the window.
 */
export const readHereBytes = 128 * 1024

/** How long the thread may take for one answer, in milliseconds. The largest take a second or two. */
const timeLimitMs = 20_000

/** How long an unused thread is kept before its memory is freed, in milliseconds. */
const restsAfterMs = 30_000

/** Reads the bodies of answers, and files. */
export interface BodyReader {
  /** Never rejects, whatever the body contains, and even if the thread ends. */
  read: <Job extends ReadJob>(job: Job, body: Uint8Array) => Promise<JobEnd<ResultOf<Job>>>
}

/**
 * Creates a reader of bodies. `startThread` starts the thread for large ones when the first arrives. It reads one at a
 * time. A thread that hangs, or exceeds its memory, is ended with its answer. The next answer gets a new one.
 */
export function createBodyReader(startThread: () => Worker, limitMs = timeLimitMs): BodyReader {
  const readings = new Sequencer()
  let thread: Worker | null = null
  let rest: NodeJS.Timeout | undefined

  function start(): Worker {
    const started = startThread()
    // One that comes after its answer was given up is nobody's.
    started.on('error', () => undefined)
    return started
  }

  function end(): void {
    void thread?.terminate()
    thread = null
  }

  function giveUp(reason: string): JobEnd<never> {
    end()
    return { ok: false, why: 'not-json', reason }
  }

  async function readThere(job: ReadJob, body: Uint8Array): Promise<JobEnd<unknown>> {
    clearTimeout(rest)
    const over = new AbortController()
    const { signal } = over
    try {
      thread ??= start()
      const told = Promise.race([once(thread, 'message', { signal }), once(thread, 'exit', { signal })])
      thread.postMessage({ job, body })
      const found = (await raceTimeout(told, limitMs)) as [JobEnd<unknown> | number] | undefined
      if (!found) return giveUp('JSON that takes too long to read')
      return typeof found[0] === 'object' ? found[0] : giveUp(notRead)
    } catch (error) {
      const isLarge = errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY'
      return giveUp(isLarge ? 'JSON that takes too much memory to read' : notRead)
    } finally {
      over.abort()
      rest = setTimeout(end, restsAfterMs).unref()
    }
  }

  return {
    read: async <Job extends ReadJob>(job: Job, body: Uint8Array) =>
      body.byteLength <= readHereBytes
        ? runJob(job, body)
        : ((await readings.queue(() => readThere(job, body))) as JobEnd<ResultOf<Job>>),
  }
}

/** The thread ended, or the machine has no room for one. */
const notRead = "JSON that couldn't be read"

let bodies: BodyReader = { read: (job, body) => Promise.resolve(runJob(job, body)) }

/** Reads large answers in threads from now on. */
export function readInThreads(startThread: () => Worker): void {
  bodies = createBodyReader(startThread)
}

/**
 * Reads from an answer what a job requests. A body that isn't JSON, or is larger than the limit for parsing, is a
 * failure that says so.
 *
 * @param wanted what an answer of the interface is, such as "a list of deployments", or the failure of one that isn't
 */
export async function readAnswer<Job extends ReadJob>(
  { status, body }: HttpAnswer,
  job: Job,
  wanted: string | ((reason: string) => Failure),
): Promise<Outcome<ResultOf<Job>>> {
  const end = await bodies.read(job, body)
  if (end.ok) return succeed(end.value)
  const reason =
    end.why === 'not-json'
      ? notJson(status, end.reason)
      : typeof wanted === 'string'
        ? unlike(wanted, end.reason)
        : wanted(end.reason)
  return fail({ ...reason, status, sent: 'answered' })
}

const unlike = (wanted: string, reason: string): Failure =>
  failure('unreadable-answer', `The answer isn't ${wanted}.`, {
    advice: `Check the base URL: something other than the service may be answering there (${reason}).`,
    retryable: true,
  })

/**
 * Reads from a file that the operator chose what a job requests. Null if it isn't JSON, or exceeds the limits for
 * parsing an answer.
 */
export async function readFileAs<Job extends ReadJob>(
  job: Job,
  bytes: Uint8Array,
): Promise<ResultOf<Job> | null> {
  const end = await bodies.read(job, bytes)
  return end.ok ? end.value : null
}

function notJson(status: number, what: string): Failure {
  return failure('unreadable-answer', `The service answered ${status} with ${what}.`, {
    advice: 'Try again. If it keeps happening, check the base URL: something else may be answering there.',
    retryable: true,
  })
}

/** A value as JSON text, from a process that wrote and validated it. It crosses to the page without being parsed. */
export class JsonText<T> {
  /** Exists only for type checks. */
  declare readonly type?: T

  constructor(readonly text: string) {}
}

/** An outcome whose value may be JSON text already. */
export type OrText<T> = Outcome<T | JsonText<T>>

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
