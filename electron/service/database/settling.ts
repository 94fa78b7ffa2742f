import type { DeploymentTable } from './deployments'

/** How long after it is due the end of a provisioning is written, in milliseconds, so that several share one write. */
const delayMs = 1_000

/** How long to wait after a failed write, in milliseconds. */
const retryMs = 5_000

/** Writes ends of provisionings in the background. */
export interface Settling {
  /** Sets the time of the next write. Call it after deployments were inserted. */
  plan(): void
  /** Ends it, before the database is closed. */
  stop(): void
}

/**
 * Writes that provisionings have ended once they are due. Readers don't wait for it: they see the end of a provisioning
 * on time, also if it can't be written. A failed write is repeated until it succeeds.
 *
 * @param commit runs a write in a transaction, and settles once it is on disk
 * @param report is called with the first of several failures in a row
 */
export function settleInBackground(
  deployments: Pick<DeploymentTable, 'nextDue' | 'settleDue'>,
  commit: (write: () => void) => Promise<void>,
  report: (error: unknown) => void,
): Settling {
  let timer: NodeJS.Timeout | null = null
  let isFailing = false
  let isStopped = false

  function plan(): void {
    // A retry isn't put off by what is inserted meanwhile.
    if (isStopped || (isFailing && timer !== null)) return
    cancel()
    const wait = timeToWait()
    if (wait === null) return
    timer = setTimeout(() => void settle(), wait)
    timer.unref()
  }

  /** How long to wait for the next write, in milliseconds; null if nothing is provisioning. Never throws. */
  function timeToWait(): number | null {
    try {
      const due = deployments.nextDue()
      if (due === null) return null
      return isFailing ? retryMs : Math.max(0, Date.parse(due) + delayMs - Date.now())
    } catch {
      return retryMs
    }
  }

  function cancel(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
  }

  async function settle(): Promise<void> {
    timer = null
    try {
      await commit(() => deployments.settleDue(new Date().toISOString()))
      isFailing = false
    } catch (error) {
      if (!isFailing) report(error)
      isFailing = true
    }
    plan()
  }

  plan()
  return {
    plan,
    stop() {
      isStopped = true
      cancel()
    },
  }
}
