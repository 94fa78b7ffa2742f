import { Worker } from 'node:worker_threads'

/** Starts the thread that reads pages ahead, from its program, `out/main/pages.cjs`. */
export function startPageThread(program: string): Worker {
  // Some five times what the largest pages take that may wait at once. Beyond it, only the thread ends.
  return new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: 512 } })
}
