import { parentPort } from 'node:worker_threads'
import { type ReadJob, runJob } from '.'

/** The thread that reads large answers. It receives a job and a body, and sends back the result. */
parentPort?.on('message', ({ job, body }: { job: ReadJob; body: Uint8Array }) => {
  parentPort?.postMessage(runJob(job, body))
})
