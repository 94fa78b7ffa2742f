import type { Failure } from '@contract'
import type { BoardDeployment, BoardRow } from '@contract/ipc/calls/caches'
import { ownAgentKey } from '@domain/agents/identity'
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { call } from '@/app/api'
import { useAppStore } from '@/app/stores/app'
import { useBoardStore } from './board'

/** A deployment that moved to another agent, and its assignment before. */
interface Moved {
  name: string
  environmentId: string
  deploymentId: string
  before: string | null
}

/** The operator's own choices about agents: which agents deployments belong to, and which rows are pinned. */
export const useAgentsStore = defineStore('agents', () => {
  const app = useAppStore()
  const board = useBoardStore()
  /** The last move, which can be undone. */
  const moved = shallowRef<Moved | null>(null)
  const failure = shallowRef<Failure | null>(null)

  /** Assigns a deployment to an agent; null removes the assignment, so that its agent is inferred again. */
  async function assign(
    deployment: Pick<BoardDeployment, 'id' | 'name'>,
    environmentId: string,
    agent: string | null,
  ): Promise<boolean> {
    const service = app.environmentOf(environmentId)?.service ?? null
    const outcome = await call('agents.assign', {
      environmentId,
      service,
      deploymentId: deployment.id,
      agent,
    })
    failure.value = outcome.ok ? null : outcome.failure
    if (!outcome.ok) return false
    const { id: deploymentId, name } = deployment
    moved.value = { name, environmentId, deploymentId, before: outcome.value.before }
    board.changes += 1
    return true
  }

  const separate = (deployment: BoardDeployment, environmentId: string): Promise<boolean> =>
    assign(deployment, environmentId, ownAgentKey(deployment.name, crypto.randomUUID()))

  async function undo(): Promise<void> {
    const last = moved.value
    if (!last) return
    const { deploymentId: id, name, environmentId, before } = last
    if (await assign({ id, name }, environmentId, before)) moved.value = null
  }

  async function pin({ agent, isPinned }: BoardRow): Promise<void> {
    const outcome = await call('agents.pin', { agent, isPinned: !isPinned })
    failure.value = outcome.ok ? null : outcome.failure
    if (outcome.ok) board.changes += 1
  }

  return { moved, failure, assign, separate, undo, pin }
})
