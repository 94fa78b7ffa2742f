import { parentPort } from 'node:worker_threads'
import { readPageBody } from '../store/content'

/** The thread that reads pages ahead. It receives the body of each with its digest, and sends back its content. */
parentPort?.on('message', ({ digest, body }: { digest: string; body: Uint8Array }) => {
  parentPort?.postMessage({ digest, content: readPageBody(body) })
})
