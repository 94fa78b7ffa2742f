import { type Failure, failureText } from '@contract'
import type { WatchesState, WatchNotice, WatchView } from '@contract/cache'
import { watchLimits } from '@contract/cache/choices'
import type { StoredService, StoredNotice, StoredWatch } from '@contract/ipc/stored-content'
import type { Environments } from '../../environments/model/types'
import type { HttpTarget } from '../../http/types'
import { belongsTo, serviceTargetOf } from '../../stored/personal/stored-service'
import type { Memory } from './memory'

type Known = Pick<Environments, 'destination' | 'state'>

/** Gives where an environment leads, if that is known without asking the keychain; otherwise null. */
export const targetIn =
  (environments: Pick<Environments, 'destination'>) =>
  (environmentId: string): HttpTarget | null => {
    const target = environments.destination(environmentId)?.target
    return target ? serviceTargetOf(target) : null
  }

/**
 * What the page shows: nothing of removed environments.
 *
 * @param memory null until it is read
 * @param problem why the file can't be read or written
 */
export function stateOf(memory: Memory | null, problem: Failure | null, environments: Known): WatchesState {
  const ids = new Set(environments.state().environments.map(({ id }) => id))
  const exists = (one: { environmentId: string }): boolean => ids.has(one.environmentId)
  const belongs = belongingIn(environments)
  return {
    isRead: memory !== null,
    watches: (memory?.watches ?? []).filter(exists).map((watch) => viewOf(watch, memory!, belongs)),
    notices: (memory?.notices ?? []).filter(exists).map((notice) => noticeViewOf(notice, belongs)),
    quiet: memory?.quiet ?? null,
    problem: problem && failureText(problem),
  }
}

/** Whether something belongs to the service that its environment leads to now; null if that isn't known. */
type Belongs = (stored: StoredService) => boolean | null

function belongingIn(environments: Pick<Environments, 'destination'>): Belongs {
  const targetOf = targetIn(environments)
  const byEnvironment = new Map<string, Belongs>()
  return (stored) => {
    const known = byEnvironment.get(stored.environmentId)
    if (known) return known(stored)
    const target = targetOf(stored.environmentId)
    const belongs = target ? belongsTo(target) : () => null
    byEnvironment.set(stored.environmentId, belongs)
    return belongs(stored)
  }
}

function noticeViewOf({ salt, service, ...notice }: StoredNotice, belongs: Belongs): WatchNotice {
  const { environmentId, entries } = notice
  const isElsewhere = salt !== null && service !== null && belongs({ environmentId, salt, service }) === false
  // Each change sends all notices to the page, and 300 with long texts have 11 MB. A single further entry is sent, too:
  // a note about it would take the same space.
  const shown = entries.length > watchLimits.shown + 1 ? entries.slice(0, watchLimits.shown) : entries
  return { ...notice, entries: shown, hidden: entries.length - shown.length, isElsewhere }
}

function viewOf(watch: StoredWatch, { services }: Memory, belongs: Belongs): WatchView {
  const { id, environmentId, on, tells, stuckMinutes, system, hasBegun, isTooLong } = watch
  const service = services.find((one) => one.environmentId === environmentId && one.service === watch.service)
  const listed = [...(service?.followed.values() ?? [])].filter((one) => !one.isGone && one.by.includes(id))
  const isFollowed = on.kind === 'list' ? hasBegun : service?.followed.has(on.deploymentId)
  const followed = on.kind === 'list' ? listed.length : Number(isFollowed ?? false)
  const shown = { id, environmentId, on, tells, stuckMinutes, system, followed }
  if (belongs(watch) === false) return { ...shown, state: 'elsewhere' }
  if (isTooLong) return { ...shown, state: 'too-many' }
  return { ...shown, state: isFollowed ? 'follows' : 'waits' }
}
