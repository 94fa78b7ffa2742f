import type { Connection } from '@contract'

/** The first wait before a request. It doubles up to the longest. */
const firstWaitMs = 3_000
const longestWaitMs = 60_000

/**
 * Detects that a service can be reached again. While its connection is offline, `ask` makes a small request at growing
 * intervals. The outcome changes the connection like that of any other request.
 */
export class ReconnectWatch {
  private timer: NodeJS.Timeout | null = null
  private wait = firstWaitMs

  constructor(private readonly ask: (environmentId: string) => Promise<unknown>) {}

  /** Call it with every change of the current environment's connection. */
  note({ environmentId, state }: Connection): void {
    if (state !== 'offline') {
      this.stop()
    } else {
      this.timer ??= setTimeout(() => {
        this.timer = null
        this.wait = Math.min(this.wait * 2, longestWaitMs)
        void this.ask(environmentId)
      }, this.wait)
    }
  }

  stop(): void {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
    this.wait = firstWaitMs
  }
}
