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
import { formatCount } from '@contract/core/count'
import type { PersonalFile } from '@contract/ipc/personal-file'
import { serviceIn } from '../../environments/lookups'
import { environmentChangedFailure } from '../../environments/model/failures'
import type { Environments } from '../../environments/model/types'
import type { Personal } from '.'
import { belongsTo, keptService, targetAt, withoutCredentials } from './kept-service'

/** What the operator said about agents by hand, at one moment. */
export interface KnownAgents {
  pinned: readonly string[]
  /** The agents of deployments of the service that an environment leads to, by the deployments' identifiers. */
  assignedIn: (environmentId: string) => ReadonlyMap<string, string>
  /** Why nothing is known of it; null if it is known. */
  failure: Failure | null
}

/** Which deployments the operator assigned to an agent by hand, and which agents are pinned. */
export interface Agents {
  known: () => Promise<KnownAgents>
  /** Answers `agents.assign`. */
  assign: (input: ParsedCallInput<'agents.assign'>) => Promise<Outcome<CallOutput<'agents.assign'>>>
  /** Answers `agents.pin`. */
  pin: (input: ParsedCallInput<'agents.pin'>) => Promise<Outcome<CallOutput<'agents.pin'>>>
}

export function createAgents(
  personal: Pick<Personal, 'content' | 'change'>,
  environments: Pick<Environments, 'destination' | 'state'>,
): Agents {
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
          const own = agents.filter(belongsTo(withoutCredentials(known.target)))
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
      return await personal.change((content) => {
        // It may have been removed meanwhile, with what belongs to it.
        if (serviceOf(environmentId) === null) return fail(environmentChangedFailure)
        const isOwn = belongsTo(target)
        const deployments = content.agents.filter(isOwn).flatMap((one) => one.deployments)
        const before = deployments.find(({ id }) => id === deploymentId)?.agent ?? null
        const others = deployments.filter(({ id }) => id !== deploymentId)
        const own = agent === null ? others : [...others, { id: deploymentId, agent }]
        const service = keptService(target, content.agents.find(isOwn))
        const agents = [
          ...content.agents.filter((one) => !isOwn(one)),
          ...(service === null || own.length === 0 ? [] : [{ ...service, deployments: own }]),
        ]
        if (agent !== null && before === null && countOf(agents) > agentLimits.assigned) return fail(tooMany)
        return succeed({ content: { ...content, agents }, value: { before } })
      })
    },

    pin: ({ agent, isPinned }) =>
      personal.change((content) => {
        const others = content.pinnedAgents.filter((one) => one !== agent)
        const pinned = isPinned ? [...others, agent] : others
        if (pinned.length > agentLimits.only) return fail(tooManyPinned)
        return succeed({ content: { ...content, pinnedAgents: pinned }, value: { pinned } })
      }),
  }
}

const countOf = (agents: PersonalFile['agents']): number =>
  agents.reduce((sum, { deployments }) => sum + deployments.length, 0)

const tooMany = failure(
  'invalid-input',
  `${formatCount(agentLimits.assigned)} deployments are assigned to an agent by hand already.`,
  { advice: 'Give some of them back to the agent that is inferred, then try again.' },
)

const tooManyPinned = failure(
  'invalid-input',
  `${formatCount(agentLimits.only)} agents are pinned already.`,
  {
    advice: 'Unpin some of them, then try again.',
  },
)
