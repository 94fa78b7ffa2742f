import type { Worker } from 'node:worker_threads'
import { fail, type Failure, failure, type Outcome, succeed } from '@contract'
import type { HttpAnswer } from '../http/types'
import { type JobEnd, type ReadJob, type ResultOf, runJob } from './jobs'

/**
 * Answers up to this size are read where they arrive, which takes some milliseconds: more than a usual page, and less
 * than starting a thread. Larger ones would hold up the window.
 */
export const readHereBytes = 128 * 1024

/** How long the thread may take for one answer, in milliseconds: all that is large takes a second or two. */
const timeLimitMs = 20_000

/** A thread that nobody needs for this long gives its memory back, in milliseconds. */
const restsAfterMs = 30_000

/** Reads the bodies of answers. */
export interface BodyReader {
  /** Never rejects, whatever the body is and whatever becomes of the thread. */
  read: <Job extends ReadJob>(job: Job, body: Uint8Array) => Promise<JobEnd<ResultOf<Job>>>
}

/**
 * Makes what reads bodies. `startThread` starts the thread for large ones, with the first of them; it reads one at
 * a time. One that hangs, or takes more memory than it may, ends with its answer, and the next answer has a new one.
 */
export function createBodyReader(startThread: () => Worker, limitMs = timeLimitMs): BodyReader {
  let thread: Worker | null = null
  let settle: ((end: JobEnd<unknown>) => void) | null = null
  let queue: Promise<unknown> = Promise.resolve()
  let rest: NodeJS.Timeout | undefined

  const letGo = (): void => {
    void thread?.terminate()
    thread = null
  }

  const giveUp = (reason: string): void => {
    letGo()
    settle?.({ ok: false, why: 'not-json', reason })
  }

  const running = (): Worker => {
    if (thread) return thread
    const started = startThread()
    // What a thread that was let go still says is nobody's.
    const ifCurrent = (then: () => void): void => {
      if (thread === started) then()
    }
    started.on('message', (end: JobEnd<unknown>) => ifCurrent(() => settle?.(end)))
    started.on('error', () => ifCurrent(() => giveUp('JSON that takes too much memory to read')))
    started.on('exit', () => ifCurrent(() => giveUp("JSON that couldn't be read")))
    thread = started
    return started
  }

  const readThere = (job: ReadJob, body: Uint8Array): Promise<JobEnd<unknown>> =>
    new Promise((resolve) => {
      clearTimeout(rest)
      const timer = setTimeout(() => giveUp('JSON that takes too long to read'), limitMs)
      settle = (end) => {
        settle = null
        clearTimeout(timer)
        rest = setTimeout(letGo, restsAfterMs)
        rest.unref()
        resolve(end)
      }
      running().postMessage({ job, body })
    })

  return {
    read: async <Job extends ReadJob>(job: Job, body: Uint8Array) => {
      if (body.byteLength <= readHereBytes) return runJob(job, body)
      const result = queue.then(() => readThere(job, body))
      queue = result
      return (await result) as JobEnd<ResultOf<Job>>
    },
  }
}

let bodies: BodyReader = { read: (job, body) => Promise.resolve(runJob(job, body)) }

/** Has large answers read in threads from now on. */
export function readInThreads(startThread: () => Worker): void {
  bodies = createBodyReader(startThread)
}

/**
 * Reads of an answer what a job says. A body that is not JSON, or more than is parsed, is a failure that says so; one
 * that is not like the interface is the failure that `unlike` makes of the reason.
 */
export async function readAnswer<Job extends ReadJob>(
  { status, body }: HttpAnswer,
  job: Job,
  unlike: (reason: string) => Failure,
): Promise<Outcome<ResultOf<Job>>> {
  const end = await bodies.read(job, body)
  if (end.ok) return succeed(end.value)
  const reason = end.why === 'unlike' ? unlike(end.reason) : notJson(status, end.reason)
  return fail({ ...reason, sent: 'answered' })
}

/** Reads a text of the local cache as an answer; null where it is none. */
export async function readText<Job extends ReadJob>(text: string, job: Job): Promise<ResultOf<Job> | null> {
  const end = await bodies.read(job, new TextEncoder().encode(text))
  return end.ok ? end.value : null
}

function notJson(status: number, what: string): Failure {
  return failure('unreadable-answer', `The service answered ${status} with ${what}.`, {
    advice: 'Try again. If it keeps happening, check the base URL: something else may be answering there.',
    retryable: true,
    status,
  })
}
