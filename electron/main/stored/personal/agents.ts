import { type Answers, fail, failure, type Failure, succeed } from '@contract'
import { agentLimits } from '@contract/cache'
import type { Environments } from '../../environments'
import {
  isSameService,
  serviceAt,
  type StoredService,
  environmentChangedFailure,
} from '../../environments/known'
import type { Personal, PersonalContent } from '.'

/** The operator's own choices about agents, at one moment. */
export interface KnownAgents {
  pinned: readonly string[]
  /** The agents of deployments of the service that an environment leads to, by the deployments' identifiers. */
  assignedIn: (environmentId: string) => ReadonlyMap<string, string>
  /** Why they aren't known; null if they are. */
  failure: Failure | null
}

export type Agents = ReturnType<typeof createAgents>

/** The deployments that the operator assigned to an agent, and the pinned agents. */
export function createAgents(
  personal: Pick<Personal, 'content' | 'change'>,
  environments: Pick<Environments, 'destination'>,
) {
  const answers: Answers<'agents'> = {
    async 'agents.assign'({ environmentId, service, deploymentId, agent }) {
      const place = serviceAt(environments, environmentId, service)
      if (!place) return fail(environmentChangedFailure)
      return await personal.change(environmentId, (content) => {
        const deployments = assignedAt(content.agents, place)
        const before = deployments.find(({ id }) => id === deploymentId)?.agent ?? null
        const others = deployments.filter(({ id }) => id !== deploymentId)
        const own = agent === null ? others : [...others, { id: deploymentId, agent }]
        const elsewhere = content.agents.filter((one) => !isSameService(one, place))
        const agents = own.length > 0 ? [...elsewhere, { ...place, deployments: own }] : elsewhere
        const count = agents.reduce((sum, one) => sum + one.deployments.length, 0)
        if (count > agentLimits.assigned) return fail(tooMany)
        return succeed({ content: { ...content, agents }, value: { before } })
      })
    },

    'agents.pin': ({ agent, isPinned }) =>
      personal.change(null, (content) => {
        const others = content.pinnedAgents.filter((one) => one !== agent)
        const pinned = isPinned ? [...others, agent] : others
        if (pinned.length > agentLimits.only) return fail(tooManyPinned)
        return succeed({ content: { ...content, pinnedAgents: pinned }, value: { pinned } })
      }),
  }

  return {
    answers,

    async known(): Promise<KnownAgents> {
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
  }
}

/** The deployments of a service that were assigned. */
const assignedAt = (
  agents: PersonalContent['agents'],
  service: StoredService,
): PersonalContent['agents'][number]['deployments'] =>
  agents.find((one) => isSameService(one, service))?.deployments ?? []

const tooMany = failure(
  'invalid-input',
  'As many deployments as Slipway can keep are assigned to an agent by hand already.',
  { advice: 'Give some of them back to the agent that is inferred, or unpin agents, then try again.' },
)

const tooManyPinned = failure('invalid-input', 'As many agents as Slipway can keep are pinned already.', {
  advice: 'Unpin some of them, then try again.',
})
