import type { Failure } from '@contract'
import type { LogLine, LogType } from '@contract/life/logs'
import { defineStore } from 'pinia'
import { shallowRef, watch } from 'vue'
import { call } from '@/api'
import { useAppStore } from '@/stores/application/app'
import { createLatestCall } from '@/stores/application/latest-call'

/** The most lines that are kept. Older ones aren't read any more. */
const maxLines = 100_000

/** Which log is shown. */
export interface ShownLog {
  deploymentId: string
  revisionId: string
  type: LogType
}

/** The log of a revision: its newest lines, and older ones on request. */
export const useLogStore = defineStore('log', () => {
  const app = useAppStore()
  const lines = shallowRef<readonly LogLine[]>([])
  /** Where the lines before the shown ones are; null if there are none, or no more are kept. */
  const older = shallowRef<string | null>(null)
  const failure = shallowRef<Failure | null>(null)
  const latest = createLatestCall()
  let shown: ShownLog | null = null

  /** Shows the newest lines of a log. */
  async function open(log: ShownLog): Promise<void> {
    close()
    shown = log
    const page = await read(null, false)
    if (!page) return
    lines.value = page.lines
    older.value = page.next
  }

  function close(): void {
    latest.cancel()
    shown = older.value = failure.value = null
    lines.value = []
  }

  /** Adds the lines that came since. If a whole page came, the ones between are missing, so it starts over. */
  async function follow(): Promise<void> {
    const page = await read(null, true)
    if (!page) return
    const known = new Set(lines.value.slice(-2 * page.lines.length).map(({ key }) => key))
    const isJoined = lines.value.length === 0 || page.lines.some(({ key }) => known.has(key))
    if (!isJoined || lines.value.length === 0) older.value = page.next
    const added = page.lines.filter(({ key }) => !known.has(key))
    if (added.length > 0) lines.value = isJoined ? [...lines.value, ...added].slice(-maxLines) : page.lines
  }

  /** Adds the lines before the shown ones. Gives how many. */
  async function loadOlder(): Promise<number> {
    if (older.value === null) return 0
    const page = await read(older.value, false)
    if (!page) return 0
    lines.value = [...page.lines, ...lines.value]
    older.value = lines.value.length < maxLines ? page.next : null
    return page.lines.length
  }

  async function read(from: string | null, quiet: boolean) {
    const environmentId = app.currentEnvironmentId
    if (environmentId === null || shown === null) return null
    const { deploymentId, revisionId, type } = shown
    const input = { environmentId, id: deploymentId, revisionId, type, from }
    const outcome = await latest.make((signal) => call('life.log', input, { signal, quiet }), { quiet })
    if (!outcome) return null
    failure.value = outcome.ok ? null : outcome.failure
    return outcome.ok ? outcome.value : null
  }

  watch(() => app.accountKey, close, { flush: 'sync' })

  return { lines, older, failure, loading: latest.loading, open, close, follow, loadOlder }
})
