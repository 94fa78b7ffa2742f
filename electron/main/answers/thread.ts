import { Worker } from 'node:worker_threads'

/** Starts the thread that reads large answers, from its program, `out/main/answers.cjs`. */
export function startReadingThread(program: string): Worker {
  // Twice what the largest answer takes that is parsed at all. Beyond it the thread ends, and nothing else.
  return new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: 768 } })
}
