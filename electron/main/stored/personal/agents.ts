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
import type { PersonalContent } from '@contract/ipc/stored-content'
import { serviceIn } from '../../environments/lookups'
import { environmentChangedFailure } from '../../environments/model/failures'
import type { Environments } from '../../environments/model/types'
import type { Personal } from '.'
import { belongsTo, storedService, targetAt, serviceTargetOf } from './stored-service'

/** The operator's own choices about agents, at one moment. */
export interface KnownAgents {
  pinned: readonly string[]
  /** The agents of deployments of the service that an environment leads to, by the deployments' identifiers. */
  assignedIn: (environmentId: string) => ReadonlyMap<string, string>
  /** Why they aren't known; null if they are. */
  failure: Failure | null
}

/**
 * Says which of several deployments an environment's cache has, and whether the cache is complete; null if nothing is
 * stored. Fails if the cache can't be read.
 */
export type CachedDeployments = (
  environmentId: string,
  ids: string[],
) => Promise<Outcome<{ found: ReadonlySet<string>; isComplete: boolean } | null>>

/** The deployments that the operator assigned to an agent, and the pinned agents. */
export interface Agents {
  known: () => Promise<KnownAgents>
  /** Answers `agents.assign`. */
  assign: (input: ParsedCallInput<'agents.assign'>) => Promise<Outcome<CallOutput<'agents.assign'>>>
  /** Answers `agents.pin`. */
  pin: (input: ParsedCallInput<'agents.pin'>) => Promise<Outcome<CallOutput<'agents.pin'>>>
}

interface AgentsOptions {
  personal: Pick<Personal, 'content' | 'change'>
  environments: Pick<Environments, 'destination' | 'state'>
  cached: CachedDeployments
}

/**
 * Only cached deployments can be assigned. Others aren't visible, so nobody could undo the assignment, and it would
 * take space from notes. Once there are too many, the assignments of deployments that are gone are removed.
 */
export function createAgents({ personal, environments, cached }: AgentsOptions): Agents {
  const serviceOf = serviceIn(environments)

  return {
    async known() {
      const content = await personal.content()
      if (!content.ok) return { pinned: [], assignedIn: () => new Map(), failure: content.failure }
      const { agents, pinnedAgents } = content.value
      return {
        pinned: pinnedAgents,
        assignedIn(environmentId) {
          const known = environments.destination(environmentId)
          if (!known) return new Map()
          const own = agents.filter(belongsTo(serviceTargetOf(known.target)))
          // Of several about one deployment, the first counts.
          const all = own.flatMap(({ deployments }) => deployments).reverse()
          return new Map(all.map(({ id, agent }) => [id, agent]))
        },
        failure: null,
      }
    },

    async assign({ environmentId, service, deploymentId, agent }) {
      const target = targetAt(environments, environmentId, service ?? '')
      if (!target) return fail(environmentChangedFailure)
      const isOwn = belongsTo(target)
      const stored = agent === null ? succeed(null) : await personal.content()
      if (!stored.ok) return stored
      const assigned = stored.value?.agents.filter(isOwn).flatMap(({ deployments }) => deployments) ?? []
      const ids = [deploymentId, ...assigned.map(({ id }) => id)].slice(0, agentLimits.assigned)
      const known = agent === null ? succeed(null) : await cached(environmentId, ids)
      if (!known.ok) return known
      return await personal.change((content) => {
        // The environment, and its personal data, may have been removed meanwhile.
        if (serviceOf(environmentId) === null) return fail(environmentChangedFailure)
        const deployments = content.agents.filter(isOwn).flatMap((one) => one.deployments)
        const before = deployments.find(({ id }) => id === deploymentId)?.agent ?? null
        if (agent !== null && before === null && !known.value?.found.has(deploymentId)) return fail(notCached)
        const others = deployments.filter(({ id }) => id !== deploymentId)
        const service = storedService(target, content.agents.find(isOwn))
        const changedTo = (own: typeof deployments): PersonalContent => ({
          ...content,
          agents: [
            ...content.agents.filter((one) => !isOwn(one)),
            ...(service === null || own.length === 0 ? [] : [{ ...service, deployments: own }]),
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
