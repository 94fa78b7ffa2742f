import {
  type CallOutput,
  fail,
  failure,
  type Failure,
  type Outcome,
  type ParsedCallInput,
  succeed,
} from '@contract'
import { agentLimits } from '@contract/cache'
import type { PersonalContent, StoredService } from '@contract/ipc/stored-content'
import { environmentChangedFailure } from '../../environments/failures'
import { existsIn, isSameService, serviceAt } from '../../environments/identity'
import type { Environments } from '../../environments/types'
import type { Cache } from '../../processes/cache-client/types'
import type { Personal } from '.'

/** The operator's own choices about agents, at one moment. */
export interface KnownAgents {
  pinned: readonly string[]
  /** The agents of deployments of the service that an environment leads to, by the deployments' identifiers. */
  assignedIn: (environmentId: string) => ReadonlyMap<string, string>
  /** Why they aren't known; null if they are. */
  failure: Failure | null
}

/** The deployments that the operator assigned to an agent, and the pinned agents. */
export interface Agents {
  known: () => Promise<KnownAgents>
  /** Answers `agents.assign`. */
  assign: (input: ParsedCallInput<'agents.assign'>) => Promise<Outcome<CallOutput<'agents.assign'>>>
  /** Answers `agents.pin`. */
  pin: (input: ParsedCallInput<'agents.pin'>) => Promise<Outcome<CallOutput<'agents.pin'>>>
}

/**
 * Only cached deployments can be assigned. Others aren't visible, so nobody could undo the assignment, and it would
 * take space from notes. Once there are too many, the assignments of deployments that are gone are removed.
 */
export function createAgents(
  personal: Pick<Personal, 'content' | 'change'>,
  environments: Pick<Environments, 'destination' | 'state'>,
  cache: Pick<Cache, 'visit'>,
): Agents {
  const exists = existsIn(environments)

  /** Which of several deployments a cache has, and whether it is complete; null if nothing is stored. */
  const cached = (environmentId: string, ids: string[]) =>
    cache.visit(environmentId, async (reader) => {
      const found = await reader.ask('assigned-agents', { ids, search: '' })
      if (!found.ok) return found
      const state = await reader.ask('state', {})
      if (!state.ok) return state
      return succeed({
        found: new Set(found.value.map(([id]) => id)),
        isComplete: state.value.synchronisedAt !== null,
      })
    })

  return {
    async known() {
      const content = await personal.content()
      if (!content.ok) return { pinned: [], assignedIn: () => new Map(), failure: content.failure }
      const { agents, pinnedAgents } = content.value
      return {
        pinned: pinnedAgents,
        assignedIn(environmentId) {
          const service = serviceAt(environments, environmentId)
          return new Map(service ? assignedAt(agents, service).map(({ id, agent }) => [id, agent]) : [])
        },
        failure: null,
      }
    },

    async assign({ environmentId, service, deploymentId, agent }) {
      const place = serviceAt(environments, environmentId, service)
      if (!place) return fail(environmentChangedFailure)
      const stored = agent === null ? succeed(null) : await personal.content()
      if (!stored.ok) return stored
      const assigned = stored.value ? assignedAt(stored.value.agents, place) : []
      const ids = [deploymentId, ...assigned.map(({ id }) => id)].slice(0, agentLimits.assigned)
      const known = agent === null ? succeed(null) : await cached(environmentId, ids)
      if (!known.ok) return known
      return await personal.change((content) => {
        // The environment, and its personal data, may have been removed meanwhile.
        if (!exists(environmentId)) return fail(environmentChangedFailure)
        const deployments = assignedAt(content.agents, place)
        const before = deployments.find(({ id }) => id === deploymentId)?.agent ?? null
        if (agent !== null && before === null && !known.value?.found.has(deploymentId)) return fail(notCached)
        const others = deployments.filter(({ id }) => id !== deploymentId)
        const changedTo = (own: typeof deployments): PersonalContent => ({
          ...content,
          agents: [
            ...content.agents.filter((one) => !isSameService(one, place)),
            ...(own.length > 0 ? [{ ...place, deployments: own }] : []),
          ],
        })
        if (agent === null) return succeed({ content: changedTo(others), value: { before } })
        const added = { id: deploymentId, agent }
        const all = changedTo([...others, added])
        if (areTooMany(all) && known.value?.isComplete) {
          const { found } = known.value
          const requested = new Set(ids)
          const left = changedTo([...others.filter(({ id }) => found.has(id) || !requested.has(id)), added])
          if (!areTooMany(left)) return succeed({ content: left, value: { before } })
        }
        // At the limit, an assigned deployment may still move to another agent if that takes no more space.
        const isMore = before === null || storedBytes(all) > storedBytes(content)
        return areTooMany(all) && isMore ? fail(tooMany) : succeed({ content: all, value: { before } })
      })
    },

    pin: ({ agent, isPinned }) =>
      personal.change((content) => {
        const others = content.pinnedAgents.filter((one) => one !== agent)
        const pinned = isPinned ? [...others, agent] : others
        const changed = { ...content, pinnedAgents: pinned }
        const isFull = pinned.length > agentLimits.only || storedBytes(changed) > agentLimits.kept
        return isPinned && isFull ? fail(tooManyPinned) : succeed({ content: changed, value: { pinned } })
      }),
  }
}

/** The deployments of a service that were assigned. */
const assignedAt = (
  agents: PersonalContent['agents'],
  service: StoredService,
): PersonalContent['agents'][number]['deployments'] =>
  agents.find((one) => isSameService(one, service))?.deployments ?? []

const storedBytes = ({ agents, pinnedAgents }: PersonalContent): number =>
  Buffer.byteLength(JSON.stringify([agents, pinnedAgents]))

const areTooMany = (content: PersonalContent): boolean =>
  content.agents.reduce((sum, { deployments }) => sum + deployments.length, 0) > agentLimits.assigned ||
  storedBytes(content) > agentLimits.kept

const notCached = failure('not-found', "This environment's cache doesn't have the deployment.", {
  advice: 'Sync the environment, then try again.',
})

const tooMany = failure(
  'invalid-input',
  'As many deployments as Slipway can keep are assigned to an agent by hand already.',
  { advice: 'Give some of them back to the agent that is inferred, or unpin agents, then try again.' },
)

const tooManyPinned = failure('invalid-input', 'As many agents as Slipway can keep are pinned already.', {
  advice: 'Unpin some of them, then try again.',
})
