import { isDeepStrictEqual } from 'node:util'
import { type Answers, fail, failure, type Outcome, succeed } from '@contract'
import { comparisonLimits, lastFilterLimits, type LastFilters, recentLimits } from '@contract/app/personal'
import { noLastFilters } from '@contract/app/personal-values'
import { raceTimeout } from '../../async'
import type { Environments } from '../../environments'
import {
  existsIn,
  isSameService,
  serviceAt,
  type StoredService,
  environmentChangedFailure,
} from '../../environments/known'
import type { Personal, PersonalContent } from '.'

/** How long the first list waits for its filters, in milliseconds. */
const firstListMs = 3_000

type StoredChoice = PersonalContent['recent'][number]

/**
 * How Slipway was left: the filters of lists, the latest choices in the command palette, and the fields that comparisons
 * ignore. Failures: those of `Personal`.
 */
export function createRemembered(
  personal: Pick<Personal, 'note' | 'content' | 'change'>,
  environments: Pick<Environments, 'destination' | 'ready' | 'state'>,
): Answers<'lastFilters' | 'recents'> &
  Omit<Answers<'comparison'>, 'comparison.find' | 'comparison.deployment'> {
  const exists = existsIn(environments)

  /** Where an environment leads. Without its profile, that is read first; a built-in service isn't started. */
  async function serviceOf(environmentId: string): Promise<Outcome<StoredService | null>> {
    const ready = environments.destination(environmentId) ? null : await environments.ready(environmentId)
    return ready && !ready.ok ? ready : succeed(serviceAt(environments, environmentId))
  }

  async function readFilters(environmentId: string): Promise<Outcome<LastFilters | null>> {
    const service = await serviceOf(environmentId)
    if (!service.ok) return service
    const content = await personal.content()
    if (!content.ok) return content
    const found = content.value.lastFilters.find(
      (one) => service.value !== null && isSameService(one, service.value),
    )
    return succeed(found?.filters ?? null)
  }

  return {
    /** The filters of a list; null if there are none, or if reading them takes longer than a start may wait. */
    'lastFilters.read': async ({ environmentId }) =>
      (await raceTimeout(readFilters(environmentId), firstListMs)) ?? succeed(null),

    /** Remembers filters soon. Failure: `environment-changed` if the environment leads elsewhere by now. */
    async 'lastFilters.save'({ environmentId, service: named, filters }) {
      const service = serviceAt(environments, environmentId, named)
      if (!service) return fail(environmentChangedFailure)
      personal.note(environmentId, (content) => withFilters(content, service, withoutLongTexts(filters)))
      return succeed(null)
    },

    /**
     * The choices to offer in an environment, the latest first: commands, environments that exist, and deployments of
     * the service that it leads to now.
     */
    async 'recents.list'({ environmentId }) {
      const service = await serviceOf(environmentId)
      const content = await personal.content()
      if (!content.ok) return content
      const isThere = ({ kind, id, of }: StoredChoice): boolean => {
        if (kind === 'environment') return exists(id)
        return of === null || (service.ok && service.value !== null && isSameService(of, service.value))
      }
      return succeed(content.value.recent.filter(isThere).map(({ kind, id }) => ({ kind, id })))
    },

    /** Remembers a choice soon. Failure: `environment-changed` for a deployment of another service. */
    async 'recents.add'({ environmentId, service: named, choice }) {
      const { kind, id } = choice
      const of = kind === 'deployment' ? serviceAt(environments, environmentId, named) : null
      if (kind === 'deployment' && !of) return fail(environmentChangedFailure)
      personal.note(kind === 'environment' ? id : environmentId, (content) => {
        const others = content.recent.filter((one) => !isDeepStrictEqual(one, { kind, id, of }))
        return { ...content, recent: [{ kind, id, of }, ...others].slice(0, recentLimits.count) }
      })
      return succeed(null)
    },

    /** The fields that comparisons ignore, in the order they were added. */
    async 'comparison.ignored'() {
      const content = await personal.content()
      return content.ok ? succeed(content.value.ignoredFields) : content
    },

    /** Adds or removes a field. Gives all of them. Failure: `invalid-input` beyond the limit. */
    'comparison.ignore': ({ field, isIgnored }) =>
      personal.change(null, (content) => {
        const others = content.ignoredFields.filter(({ key }) => key !== field.key)
        const ignoredFields = isIgnored ? [...others, field] : others
        if (ignoredFields.length > comparisonLimits.ignored) return fail(tooManyFields)
        return succeed({ content: { ...content, ignoredFields }, value: ignoredFields })
      }),
  }
}

const tooManyFields = failure('invalid-input', `${comparisonLimits.ignored} fields are ignored already.`, {
  advice: 'Stop ignoring some of them, then try again.',
})

/** The filters without texts that are too long to be remembered. */
function withoutLongTexts(filters: LastFilters): LastFilters {
  const long = Object.entries(filters).filter(
    ([, value]) => typeof value === 'string' && value.length > lastFilterLimits.textLength,
  )
  return { ...filters, ...Object.fromEntries(long.map(([name]) => [name, ''])) }
}

function withFilters(
  content: PersonalContent,
  service: StoredService,
  filters: LastFilters,
): PersonalContent {
  const before = content.lastFilters.find((one) => isSameService(one, service))
  // Unchanged filters aren't written again.
  if (isDeepStrictEqual(before?.filters ?? noLastFilters, filters)) return content
  const others = content.lastFilters.filter((one) => one !== before)
  const own = isDeepStrictEqual(filters, noLastFilters) ? [] : [{ ...service, filters }]
  return { ...content, lastFilters: [...own, ...others].slice(0, lastFilterLimits.services) }
}
