import { Worker } from 'node:worker_threads'

/** Starts the thread that reads large answers, from its program, `out/main/answers.cjs`. */
export function startReadingThread(program: string): Worker {
  // Twice what the largest answer within the parsing limit takes. Beyond it, only the thread ends.
  return new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: 768 } })
}
