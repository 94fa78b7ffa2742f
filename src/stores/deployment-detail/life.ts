import type { Deployment, Failure } from '@contract'
import type { Offers } from '@contract/life/offers'
import type { Revision } from '@contract/life/revisions'
import { failedOf, isFailedRevision } from '@contract/life/rules'
import { defineStore } from 'pinia'
import { shallowRef, watch } from 'vue'
import { call } from '@/api'
import { useAppStore } from '@/stores/application/app'
import { useFailedRevisionsStore } from './failed-revisions'
import { createLatestCall } from '@/stores/application/latest-call'

/** How many revisions are read at a time. */
const revisionsAtATime = 50

/** What the service of the open deployment offers beside the interface, and the deployment's revisions. */
export const useLifeStore = defineStore('life', () => {
  const app = useAppStore()
  const failedRevisions = useFailedRevisionsStore()
  /** Null until it is known. A service that can't be asked seems to offer nothing. */
  const offers = shallowRef<Offers | null>(null)
  const revisions = shallowRef<readonly Revision[]>([])
  const nextOffset = shallowRef<number | null>(null)
  const failure = shallowRef<Failure | null>(null)
  const asking = createLatestCall()
  const reading = createLatestCall()
  /** The deployment that all this is about. */
  const of = shallowRef<string | null>(null)

  /** Finds out what is offered for a deployment, or asks `again`. Forgets the revisions of another one. */
  async function open(id: string, again = false): Promise<void> {
    const environmentId = app.currentEnvironmentId
    if (environmentId === null) return
    if (id !== of.value) close()
    of.value = id
    const outcome = await asking.make(
      (signal) => call('life.offers', { environmentId, id, again }, { signal, quiet: true }),
      { quiet: true },
    )
    if (outcome) offers.value = outcome.ok ? outcome.value : (offers.value ?? nothingOffered)
  }

  function close(): void {
    asking.cancel()
    reading.cancel()
    of.value = offers.value = failure.value = nextOffset.value = null
    revisions.value = []
  }

  /** The latest revision of a deployment, if it is known and has failed; null otherwise. */
  const failedLatest = ({ id, latest_revision_id: latest }: Deployment): Revision | null =>
    (id === of.value && revisions.value.find((one) => one.id === latest && isFailedRevision(one.status))) ||
    null

  /** Reads the newest revisions. Those that are shown stay until then. */
  const load = (quiet = false): Promise<void> => read(0, quiet)

  /** Reads the revisions before the shown ones. */
  async function loadOlder(): Promise<void> {
    if (nextOffset.value !== null) await read(nextOffset.value, false)
  }

  async function read(offset: number, quiet: boolean): Promise<void> {
    const [environmentId, id] = [app.currentEnvironmentId, of.value]
    if (environmentId === null || id === null) return
    const input = { environmentId, id, offset, limit: revisionsAtATime }
    const outcome = await reading.make((signal) => call('life.revisions', input, { signal, quiet }), {
      quiet,
    })
    if (!outcome) return
    failure.value = outcome.ok ? null : outcome.failure
    if (!outcome.ok) return
    const { revisions: found, nextOffset: next } = outcome.value
    const ids = new Set(found.map((one) => one.id))
    revisions.value = offset === 0 ? found : [...revisions.value.filter((one) => !ids.has(one.id)), ...found]
    nextOffset.value = next
    failedRevisions.note(
      environmentId,
      found.flatMap((one) => failedOf(id, one)),
    )
  }

  watch(() => app.accountKey, close, { flush: 'sync' })

  return {
    offers,
    revisions,
    nextOffset,
    failure,
    loading: reading.loading,
    open,
    close,
    failedLatest,
    load,
    loadOlder,
  }
})

const nothingOffered: Offers = {
  operations: [],
  logCall: null,
  interruptCall: null,
  from: 'requests',
  byHand: [],
  missing: [],
  readAt: '',
}
