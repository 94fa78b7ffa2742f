import { parentPort } from 'node:worker_threads'
import { type ReadJob, runJob } from './jobs'

/** The thread that reads large answers: it gets a job and a body, and sends back what came of it. */
parentPort?.on('message', ({ job, body }: { job: ReadJob; body: Uint8Array }) => {
  parentPort?.postMessage(runJob(job, body))
})
