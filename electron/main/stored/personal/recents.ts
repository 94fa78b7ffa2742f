import { type CallInput, fail, type Outcome, succeed } from '@contract'
import { type RecentChoice, recentLimits } from '@contract/app/personal'
import type { PersonalContent } from '@contract/ipc/stored-content'
import { existsIn } from '../../environments/lookups'
import { environmentChangedFailure } from '../../environments/model/failures'
import type { Environments } from '../../environments/model/types'
import type { HttpTarget } from '../../http/types'
import { belongsTo, storedService, targetAt } from './stored-service'
import type { Personal } from '.'

/** The latest choices in the command palette. */
export interface Recents {
  /**
   * The choices to offer in an environment, the latest first: commands, environments that exist, and deployments of the
   * service that it leads to now. Failures: those of `Personal.content`.
   */
  list: (environmentId: string) => Promise<Outcome<RecentChoice[]>>
  /** Remembers a choice soon. Failure: `environment-changed` for a deployment of another service. */
  add: (input: CallInput<'recents.add'>) => Outcome<null>
}

type StoredChoice = PersonalContent['recent'][number]

export function createRecents(
  personal: Pick<Personal, 'note' | 'content'>,
  environments: Pick<Environments, 'destination' | 'ready' | 'state'>,
): Recents {
  const exists = existsIn(environments)

  return {
    async list(environmentId) {
      // Without its profile, an environment has no deployments here. A built-in service isn't started.
      if (!environments.destination(environmentId)) await environments.ready(environmentId)
      const content = await personal.content()
      if (!content.ok) return content
      const target = environments.destination(environmentId)?.target
      const isThere = ({ kind, id, of }: StoredChoice): boolean => {
        if (kind === 'environment') return exists(id)
        return of === null || (target !== undefined && belongsTo(target)(of))
      }
      return succeed(content.value.recent.filter(isThere).map(({ kind, id }) => ({ kind, id })))
    },

    add({ environmentId, service, choice }) {
      const { kind, id } = choice
      if (kind !== 'deployment') {
        personal.note((content) =>
          kind === 'environment' && !exists(id) ? content : withChoice(content, choice, null),
        )
        return succeed(null)
      }
      const named = service ?? ''
      const target = targetAt(environments, environmentId, named)
      if (!target) return fail(environmentChangedFailure)
      personal.note((content) =>
        // The environment, and its personal data, may have been removed meanwhile.
        exists(environmentId) ? withChoice(content, choice, target) : content,
      )
      return succeed(null)
    },
  }
}

/** @param target where a deployment is; null for any other choice */
function withChoice(
  content: PersonalContent,
  { kind, id }: RecentChoice,
  target: HttpTarget | null,
): PersonalContent {
  const isSame = (one: StoredChoice): boolean =>
    one.kind === kind &&
    one.id === id &&
    (target === null ? one.of === null : one.of !== null && belongsTo(target)(one.of))
  const before = content.recent.find(isSame)
  const of = target && storedService(target, before?.of ?? undefined)
  const others = content.recent.filter((one) => one !== before)
  return { ...content, recent: [{ kind, id, of }, ...others].slice(0, recentLimits.count) }
}
