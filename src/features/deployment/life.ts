import type { FailedRevision, Revision } from '@contract/life/revisions'
import { isRollingOut, type RolloutMembers } from '@contract/deployment-api/statuses'
import { defineStore } from 'pinia'
import { computed, shallowReactive, shallowRef, watch } from 'vue'
import { call } from '@/app/api'
import { useAppStore } from '@/app/stores/app'
import type { Deployment } from '@contract'
import type { Offers } from '@contract/life/offers'
import { failedOf, isFailedRevision } from '@contract/life/rules'
import { useResource } from '@/app/stores/resource'
import type { ChangeKind } from '@contract/life/changes'

type Listed = RolloutMembers & { id: string }

/** How many deployments one call may name. */
const atOnce = 100

/** The latest revisions that are known to have failed, in any environment: what the list alone can't tell. */
export const useFailedRevisionsStore = defineStore('failed-revisions', () => {
  const app = useAppStore()
  const known = shallowReactive(new Map<string, FailedRevision>())
  const keyOf = (environmentId: string, id: string, revisionId: string | null): string =>
    JSON.stringify([app.accountKeyOf(environmentId), id, revisionId])

  /** The failed latest revision of a deployment; null if it didn't fail, or isn't known. */
  const of = (environmentId: string, { id, latest_revision_id }: Listed): FailedRevision | null =>
    known.get(keyOf(environmentId, id, latest_revision_id)) ?? null

  function note(environmentId: string, failed: readonly FailedRevision[]): void {
    for (const one of failed) known.set(keyOf(environmentId, one.deploymentId, one.revisionId), one)
  }

  /** Asks which of these deployments failed. Only those that are rolling out can have. */
  async function look(environmentId: string, deployments: readonly Listed[]): Promise<void> {
    const account = app.accountKeyOf(environmentId)
    const asked = deployments
      .filter((one) => isRollingOut(one) && one.latest_revision_id !== null)
      .map(({ id, latest_revision_id }) => ({ id, latestRevisionId: latest_revision_id! }))
    if (asked.length === 0) return
    const input = { environmentId, deployments: asked.slice(0, atOnce) }
    const outcome = await call('life.failed', input)
    if (outcome.ok && app.accountKeyOf(environmentId) === account) note(environmentId, outcome.value)
  }

  /** How many are known: what is drawn from them is drawn again with each. */
  const size = computed(() => known.size)

  return { of, note, look, size }
})

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

/** A change that the operator begins. */
export interface BegunChange {
  /** Tells it from others. */
  number: number
  environmentId: string
  deployment: Deployment
  kind: ChangeKind
  /** The revision that it is about; null if it is about none. */
  revisionId: string | null
  /** Members of the revision that are filled in: what another deployment runs. */
  filledIn: Partial<Deployment['source_revision_config']>
}

/** The change that the dialog shows, from wherever it was begun. */
export const useChangeStore = defineStore('change', () => {
  const app = useAppStore()
  const begun = shallowRef<BegunChange | null>(null)

  /** Opens the dialog of a kind of change of a deployment of the current environment. */
  function begin(deployment: Deployment, kind: ChangeKind, more: Partial<BegunChange> = {}): void {
    const environmentId = app.currentEnvironmentId
    if (environmentId === null) return
    const number = (begun.value?.number ?? 0) + 1
    begun.value = { number, environmentId, deployment, kind, revisionId: null, filledIn: {}, ...more }
  }

  watch(
    () => app.accountKey,
    () => (begun.value = null),
    { flush: 'sync' },
  )

  return { begun, begin }
})
