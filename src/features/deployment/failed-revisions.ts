import type { FailedRevision } from '@contract/life/revisions'
import type { RolloutMembers } from '@contract/deployment-api/statuses'
import { isRollingOut } from '@contract/deployment-api/statuses'
import { defineStore } from 'pinia'
import { computed, shallowReactive } from 'vue'
import { call } from '@/app/api'
import { useAppStore } from '@/app/stores/app'

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
