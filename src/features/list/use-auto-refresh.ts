import { onBeforeUnmount, onMounted, watch } from 'vue'
import { isDialogOpen } from '@/ui/widgets/dialog-open'
import { wouldDisturb } from './list'
import { useAppStore } from '@/app/stores/app'
import { useDeploymentsStore } from './deployments'
import { useRereadsStore } from './rereads'

/** The delay before a postponed re-read is tried again, in milliseconds. */
const againMs = 1_000

/** The events of an operator's use of the page, which a re-read must not interrupt. */
const uses = ['keydown', 'wheel', 'scroll', 'pointerdown'] as const

/**
 * While the screen is in view, reads the live list, or the list of rollouts, again at the chosen interval, but not
 * while the operator is using the page.
 */
export function useAutoRefresh(): void {
  const app = useAppStore()
  const list = useDeploymentsStore()
  const rereads = useRereadsStore()
  let usedAt = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Whether the screen was left. A re-read that this cancelled still settles, and must not schedule another. */
  let isStopped = false

  function noteUse(): void {
    usedAt = Date.now()
  }

  /** If the service refuses the request headers, asking again is pointless. */
  const isAway = (): boolean =>
    document.visibilityState !== 'visible' ||
    app.connection?.state === 'offline' ||
    app.connection?.state === 'denied' ||
    (list.isCached && !list.tellsRollouts)

  function isHeld(): boolean {
    const isListOpen = document.querySelector('[role="listbox"], [role="menu"]') !== null
    return isDialogOpen() || isListOpen || document.getSelection()?.isCollapsed === false
  }

  function plan(afterMs = rereads.pauseMs): void {
    clearTimeout(timer)
    if (isStopped || rereads.everySeconds === 0 || isAway()) return
    timer = setTimeout(() => void due(), afterMs)
  }

  async function due(): Promise<void> {
    if (wouldDisturb({ isAway: isAway(), isHeld: isHeld(), usedAt, now: Date.now() })) return plan(againMs)
    await rereads.reread()
    plan()
  }

  const planNow = (): void => plan()
  watch(
    [
      () => rereads.everySeconds,
      () => list.live.loading,
      () => list.isCached,
      () => list.tellsRollouts,
      () => app.connection?.state,
    ],
    planNow,
  )
  onMounted(() => {
    for (const use of uses) window.addEventListener(use, noteUse, { capture: true, passive: true })
    document.addEventListener('visibilitychange', planNow)
    plan()
  })
  onBeforeUnmount(() => {
    isStopped = true
    for (const use of uses) window.removeEventListener(use, noteUse, { capture: true })
    document.removeEventListener('visibilitychange', planNow)
    clearTimeout(timer)
    rereads.stop()
  })
}
