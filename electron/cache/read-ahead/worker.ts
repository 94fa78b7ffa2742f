import { parentPort } from 'node:worker_threads'
import { readPageBody } from '../store/content'

/** The thread that reads pages ahead. It receives the body of each and sends back its content, in the same order. */
parentPort?.on('message', (body: Uint8Array) => {
  parentPort?.postMessage(readPageBody(body))
})
