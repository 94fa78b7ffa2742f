import { type Failure, failureText } from '@contract'
import type { WatchesState, WatchNotice, WatchView } from '@contract/cache'
import type { StoredNotice, StoredWatch } from '@contract/ipc/watches-file'
import type { Environments } from '../../environments/model/types'
import type { HttpTarget } from '../../http/types'
import { belongsTo, withoutCredentials } from '../personal/stored-service'
import { type Memory, unsettled } from './memory'

type Known = Pick<Environments, 'destination' | 'state'>

/** Gives where an environment leads, as far as that is known without asking the keychain; null otherwise. */
export const targetIn =
  (environments: Pick<Environments, 'destination'>) =>
  (environmentId: string): HttpTarget | null => {
    const target = environments.destination(environmentId)?.target
    return target ? withoutCredentials(target) : null
  }

/**
 * What the page shows of the memory: nothing of an environment that is gone.
 *
 * @param memory null while it isn't read
 * @param problem why the file can't be read or written
 */
export function stateOf(memory: Memory | null, problem: Failure | null, environments: Known): WatchesState {
  const ids = new Set(environments.state().environments.map(({ id }) => id))
  const exists = (one: { environmentId: string }): boolean => ids.has(one.environmentId)
  return {
    isRead: memory !== null,
    watches: (memory?.watches ?? []).filter(exists).map((watch) => viewOf(watch, memory!, environments)),
    notices: (memory?.notices ?? [])
      .filter(exists)
      .map((notice) => noticeViewOf(notice, targetIn(environments))),
    quiet: memory?.quiet ?? null,
    problem: problem && failureText(problem),
  }
}

function noticeViewOf(
  { salt, service, ...notice }: StoredNotice,
  targetOf: (environmentId: string) => HttpTarget | null,
): WatchNotice {
  const { environmentId } = notice
  const target = targetOf(environmentId)
  const isElsewhere =
    target !== null &&
    salt !== null &&
    service !== null &&
    !belongsTo(target)({ environmentId, salt, service })
  return { ...notice, isElsewhere }
}

function viewOf(watch: StoredWatch, { services }: Memory, environments: Known): WatchView {
  const { id, environmentId, on, tells, stuckMinutes, system, baseline, isTooLong } = watch
  const target = targetIn(environments)(environmentId)
  const service = services.find((one) => one.environmentId === environmentId && one.service === watch.service)
  const listed = [...(service?.followed.values() ?? [])].filter((one) => !one.isGone && one.by.includes(id))
  const isFollowed = on.kind === 'list' ? baseline !== null : service?.followed.has(on.deploymentId)
  const followed = on.kind === 'list' ? listed.length : Number(isFollowed ?? false)
  const shown = { id, environmentId, on, tells, stuckMinutes, system, followed }
  if (target !== null && !belongsTo(target)(watch)) return { ...shown, state: 'elsewhere' }
  if (isTooLong) return { ...shown, state: 'too-many' }
  if (baseline === unsettled) return { ...shown, state: 'unsettled' }
  return { ...shown, state: isFollowed ? 'follows' : 'waits' }
}
