import { onBeforeUnmount, onMounted, watch } from 'vue'
import { isDialogOpen } from '@/components/dialog/dialog-open'
import { wouldDisturb } from '@/domain/list/reread'
import { useAppStore } from '@/stores/application/app'
import { useCachedDeploymentsStore } from '@/stores/deployment-list/cached-deployments'
import { useDeploymentsStore } from '@/stores/deployment-list/deployments'
import { useLiveUpdatesStore } from '@/stores/deployment-list/live-updates'
import { useRolloutUpdatesStore } from '@/stores/deployment-list/rollout-updates'

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
  const cached = useCachedDeploymentsStore()
  const updates = useLiveUpdatesStore()
  const rollouts = useRolloutUpdatesStore()
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
    (cached.shown && !cached.tellsRollouts)

  function isHeld(): boolean {
    const isListOpen = document.querySelector('[role="listbox"], [role="menu"]') !== null
    return isDialogOpen() || isListOpen || document.getSelection()?.isCollapsed === false
  }

  const current = () => (cached.tellsRollouts ? rollouts : updates)

  function plan(afterMs = current().pauseMs): void {
    clearTimeout(timer)
    if (isStopped || updates.everySeconds === 0 || isAway()) return
    timer = setTimeout(() => void due(), afterMs)
  }

  async function due(): Promise<void> {
    if (wouldDisturb({ isAway: isAway(), isHeld: isHeld(), usedAt, now: Date.now() })) return plan(againMs)
    await current().reread()
    plan()
  }

  const planNow = (): void => plan()
  watch(
    [
      () => updates.everySeconds,
      () => list.loading,
      () => cached.shown,
      () => cached.tellsRollouts,
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
    updates.stop()
    rollouts.stop()
  })
}
