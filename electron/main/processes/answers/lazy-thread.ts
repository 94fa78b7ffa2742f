import type { Worker } from 'node:worker_threads'

/** A thread that starts with the first use, and again with the next use after it was ended. */
export interface LazyThread {
  /** The thread, started if there is none. Throws if the machine has no room for another one. */
  running: () => Worker
  /** Ends it. What it still sends is ignored. Does nothing if there is none. */
  end: () => void
}

/**
 * Creates a thread that isn't started yet. `received` gets its messages. `failed` is called when it ends by itself: with
 * `error` if it threw or exceeded its memory, else with `exit`. Whoever is told ends the thread.
 */
export function createLazyThread<Message>(
  startThread: () => Worker,
  received: (message: Message) => void,
  failed: (how: 'error' | 'exit') => void,
): LazyThread {
  let thread: Worker | null = null
  return {
    running() {
      if (thread) return thread
      const started = startThread()
      const ifCurrent = (then: () => void): void => {
        if (thread === started) then()
      }
      started.on('message', (message: Message) => ifCurrent(() => received(message)))
      started.on('error', () => ifCurrent(() => failed('error')))
      started.on('exit', () => ifCurrent(() => failed('exit')))
      thread = started
      return started
    },
    end() {
      void thread?.terminate()
      thread = null
    },
  }
}
