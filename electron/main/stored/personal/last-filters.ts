import { isDeepStrictEqual } from 'node:util'
import { fail, type Outcome, succeed } from '@contract'
import { lastFilterLimits, type LastFilters, type LastFiltersChange } from '@contract/app/personal'
import { noLastFilters } from '@contract/app/personal-values'
import type { PersonalContent } from '@contract/ipc/stored-content'
import { raceTimeout } from '../../async'
import { existsIn } from '../../environments/lookups'
import { environmentChangedFailure } from '../../environments/model/failures'
import type { Environments } from '../../environments/model/types'
import type { HttpTarget } from '../../http/types'
import { belongsTo, storedService, targetAt } from './stored-service'
import type { Personal } from '.'

/** The filters that lists were left with. */
export interface LastFiltersPart {
  /**
   * The filters for the service that an environment leads to now. Null if there are none, or if reading them takes
   * longer than a start may wait. Failures: those of `Personal.content`, and the keychain's if the profile can't be
   * read.
   */
  read: (environmentId: string) => Promise<Outcome<LastFilters | null>>
  /** Remembers filters soon. Failure: `environment-changed` if the environment leads elsewhere by now. */
  save: (change: LastFiltersChange) => Outcome<null>
}

interface LastFiltersOptions {
  personal: Pick<Personal, 'note' | 'content'>
  environments: Pick<Environments, 'destination' | 'ready' | 'state'>
  /** How long the first list waits, in milliseconds. */
  timeoutMs?: number
}

export function createLastFilters(options: LastFiltersOptions): LastFiltersPart {
  const { personal, environments, timeoutMs = 3_000 } = options
  const exists = existsIn(environments)

  async function readNow(environmentId: string): Promise<Outcome<LastFilters | null>> {
    // The first list needs the profile as well. A built-in service isn't started.
    const ready = environments.destination(environmentId) ? null : await environments.ready(environmentId)
    if (ready && !ready.ok) return ready
    const content = await personal.content()
    if (!content.ok) return content
    const target = environments.destination(environmentId)?.target
    const found = target && content.value.lastFilters.find(belongsTo(target))
    return succeed(found?.filters ?? null)
  }

  return {
    read: async (environmentId) => (await raceTimeout(readNow(environmentId), timeoutMs)) ?? succeed(null),

    save({ environmentId, service, filters }) {
      const target = targetAt(environments, environmentId, service)
      if (!target) return fail(environmentChangedFailure)
      const stored = withoutLongTexts(filters)
      personal.note((content) =>
        // The environment, and its personal data, may have been removed meanwhile.
        exists(environmentId) ? withFilters(content, target, stored) : content,
      )
      return succeed(null)
    },
  }
}

/** The filters without texts that are too long to be remembered. */
function withoutLongTexts(filters: LastFilters): LastFilters {
  const long = Object.entries(filters).filter(
    ([, value]) => typeof value === 'string' && value.length > lastFilterLimits.textLength,
  )
  return { ...filters, ...Object.fromEntries(long.map(([name]) => [name, ''])) }
}

function withFilters(content: PersonalContent, target: HttpTarget, filters: LastFilters): PersonalContent {
  const isOwn = belongsTo(target)
  const before = content.lastFilters.find(isOwn)
  // Unchanged filters aren't written again.
  if (isDeepStrictEqual(before?.filters ?? noLastFilters, filters)) return content
  const others = content.lastFilters.filter((one) => !isOwn(one))
  const service = storedService(target, before)
  const own = service === null || isDeepStrictEqual(filters, noLastFilters) ? [] : [{ ...service, filters }]
  return { ...content, lastFilters: [...own, ...others].slice(0, lastFilterLimits.services) }
}
