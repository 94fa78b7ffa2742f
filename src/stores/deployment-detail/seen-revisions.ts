import type { Deployment } from '@contract'
import { defineStore } from 'pinia'
import { shallowReactive } from 'vue'
import { runningSource } from '@/format/deployment/running-source'
import { useAppStore } from '@/stores/application/app'
import { watchReadDeployments } from './read-deployments'

/** What a revision runs, and when a service last answered it as the latest one (ISO 8601). */
export interface SeenRevision {
  runs: string
  at: string
}

/** More are forgotten, the oldest first. */
const maxRevisions = 5_000

/**
 * What revisions run, as far as this session has seen. A service shows it only for the latest revision, so during a
 * rollout the active one's is known from before.
 */
export const useSeenRevisionsStore = defineStore('seen-revisions', () => {
  const app = useAppStore()
  const seen = shallowReactive(new Map<string, SeenRevision>())

  const keyOf = (revisionId: string): string => `${app.accountKey} ${revisionId}`

  watchReadDeployments((deployment, at) => {
    const runs = runningSource(deployment)?.full
    if (!deployment.latest_revision_id || !runs) return
    const key = keyOf(deployment.latest_revision_id)
    seen.delete(key)
    seen.set(key, { runs, at })
    const [oldest] = seen.keys()
    if (oldest !== undefined && seen.size > maxRevisions) seen.delete(oldest)
  })

  /** What a revision runs; null if it wasn't seen. */
  const of = (revisionId: string | null): SeenRevision | null =>
    revisionId === null ? null : (seen.get(keyOf(revisionId)) ?? null)

  /** What the active revision of a deployment runs, where the latest is another one; null if it wasn't seen. */
  function active({ latest_revision_id: latest, active_revision_id: id }: Deployment): SeenRevision | null {
    return id === latest ? null : of(id)
  }

  return { of, active }
})
