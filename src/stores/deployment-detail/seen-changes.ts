import type { DeploymentSummary } from '@contract'
import { defineStore } from 'pinia'
import { shallowReactive } from 'vue'
import { useAppStore } from '@/stores/application/app'
import { watchReadDeployments } from './read-deployments'

const compared = ['status', 'latest_revision_id', 'active_revision_id'] as const

type ComparedMember = (typeof compared)[number]
type Compared = Pick<DeploymentSummary, ComparedMember>

/** A difference between two answers of a service. It happened between them. */
interface SeenChange {
  member: ComparedMember
  before: string | null
  after: string | null
  /** When the service gave the answer before, and the one that differs (ISO 8601). */
  previousAt: string
  at: string
}

/** A deployment as this session has seen it. */
interface SeenDeployment {
  /** When it was first read, and last (ISO 8601). */
  firstAt: string
  lastAt: string
  last: Compared
  /** Oldest first. */
  changes: readonly SeenChange[]
}

/** Beyond this, those that weren't read for the longest time are forgotten. */
const maxDeployments = 5_000

/** Beyond this, the oldest changes of a deployment are forgotten. */
const maxChanges = 20

/** The changes of deployments that this session has seen. A service only answers with their present state. */
export const useSeenChangesStore = defineStore('seen-changes', () => {
  const app = useAppStore()
  const seen = shallowReactive(new Map<string, SeenDeployment>())

  const keyOf = (id: string): string => `${app.accountKey} ${id}`

  watchReadDeployments((read, at) => {
    const key = keyOf(read.id)
    const before = seen.get(key)
    // An answer from the cache may be older than a known change. If the clock was ahead, its time proves nothing.
    const lastAt = before && Date.parse(before.lastAt)
    if (lastAt && Date.parse(at) < lastAt && lastAt <= Date.now()) return
    const { status, latest_revision_id, active_revision_id } = read
    const now = { status, latest_revision_id, active_revision_id }
    seen.delete(key)
    seen.set(key, before ? seenAgain(before, now, at) : seenFirst(now, at))
    const [oldest] = seen.keys()
    if (oldest !== undefined && seen.size > maxDeployments) seen.delete(oldest)
  })

  /** What was seen of a deployment; null if it wasn't read. */
  const of = (id: string): SeenDeployment | null => seen.get(keyOf(id)) ?? null

  /** When the present value of a member was first seen (ISO 8601); null if no change to it was seen. */
  function since(deployment: Compared & { id: string }, member: ComparedMember): string | null {
    const change = of(deployment.id)
      ?.changes.filter((one) => one.member === member)
      .at(-1)
    return change?.after === deployment[member] ? change.at : null
  }

  return { of, since }
})

const seenFirst = (last: Compared, at: string): SeenDeployment => ({
  firstAt: at,
  lastAt: at,
  last,
  changes: [],
})

function seenAgain(before: SeenDeployment, last: Compared, at: string): SeenDeployment {
  const changes = compared
    .filter((member) => before.last[member] !== last[member])
    .map((member): SeenChange => ({
      member,
      before: before.last[member],
      after: last[member],
      previousAt: before.lastAt,
      at,
    }))
  return {
    firstAt: before.firstAt,
    lastAt: at,
    last,
    changes: changes.length === 0 ? before.changes : [...before.changes, ...changes].slice(-maxChanges),
  }
}
