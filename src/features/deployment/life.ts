import type { Deployment } from '@contract'
import type { Offers } from '@contract/life/offers'
import type { Revision } from '@contract/life/revisions'
import { failedOf, isFailedRevision } from '@contract/life/rules'
import { defineStore } from 'pinia'
import { computed, shallowRef, watch } from 'vue'
import { call } from '@/app/api'
import { useAppStore } from '@/app/stores/app'
import { useResource } from '@/app/stores/resource'
import { useFailedRevisionsStore } from './failed-revisions'

/** How many revisions are read at a time. */
const revisionsAtATime = 50

/** What the service of the open deployment offers beside the interface, and the deployment's revisions. */
export const useLifeStore = defineStore('life', () => {
  const app = useAppStore()
  const failedRevisions = useFailedRevisionsStore()
  /** The deployment that all this is about. */
  const of = shallowRef<string | null>(null)
  const key = () => of.value && app.accountKey && `${app.accountKey} ${of.value}`
  const place = () => ({ environmentId: app.currentEnvironmentId!, id: of.value! })

  const offersOf = (again: boolean) => (signal: AbortSignal) =>
    call('life.offers', { ...place(), again }, { signal })
  const asked = useResource(key, offersOf(false))
  /** Null until it is known. A service that can't be asked seems to offer nothing. */
  const offers = computed((): Offers | null => asked.value.value ?? (asked.failure.value && nothingOffered))

  const pageFrom = (offset: number) => (signal: AbortSignal, quiet: boolean) =>
    call('life.revisions', { ...place(), offset, limit: revisionsAtATime }, { signal, quiet })
  const { value: page, failure, loading, load, make } = useResource(key, pageFrom(0))
  const revisions = computed((): readonly Revision[] => page.value?.revisions ?? [])
  const nextOffset = computed(() => page.value?.nextOffset ?? null)

  /** Finds out what is offered for a deployment, or asks `again`. Forgets the revisions of another one. */
  async function open(id: string, again = false): Promise<void> {
    of.value = id
    if (key() === null) return
    const found = await asked.make(offersOf(again), true)
    if (found) asked.value.value = found
  }

  /** The latest revision of a deployment, if it is known and has failed; null otherwise. */
  const failedLatest = ({ id, latest_revision_id: latest }: Deployment): Revision | null =>
    (id === of.value && revisions.value.find((one) => one.id === latest && isFailedRevision(one.status))) ||
    null

  /** Reads the revisions before the shown ones. */
  async function loadOlder(): Promise<void> {
    if (nextOffset.value === null) return
    const older = await make(pageFrom(nextOffset.value))
    if (!older) return
    const ids = new Set(older.revisions.map((one) => one.id))
    const newer = revisions.value.filter((one) => !ids.has(one.id))
    page.value = { ...older, revisions: [...newer, ...older.revisions] }
  }

  watch(
    page,
    (now) => {
      if (now)
        failedRevisions.note(
          place().environmentId,
          now.revisions.flatMap((one) => failedOf(of.value!, one)),
        )
    },
    { flush: 'sync' },
  )

  return { offers, revisions, nextOffset, failure, loading, open, failedLatest, load, loadOlder }
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
