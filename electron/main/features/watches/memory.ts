import type { StoredService, StoredWatch, WatchesContent } from '@contract/ipc/stored-content'
import type { HttpTarget } from '../../http/types'
import { belongsTo, storedService } from '../../stored/personal/stored-service'
import { type Outage, resumedOutage } from './outage'
import type { FollowedMap } from './rules'

/** A service with watched deployments, and their state. */
export interface WatchedService extends StoredService {
  outage: Outage | null
  followed: FollowedMap
}

/** The content of the file in the form that the rules use. It is immutable. */
export interface Memory extends Omit<WatchesContent, 'services'> {
  services: readonly WatchedService[]
}

/** An environment's watches of the service that it leads to now, and that service's state. */
export interface WatchedPlace {
  environmentId: string
  watches: readonly StoredWatch[]
  service: WatchedService
}

export const fromFile = ({ watches, notices, quiet, services }: WatchesContent): Memory => ({
  watches,
  notices,
  quiet,
  services: services.map(({ followed, outage, ...service }) => ({
    ...service,
    outage: outage && resumedOutage(outage),
    followed: new Map(followed.map(({ id, ...one }) => [id, one])),
  })),
})

export const toFile = ({ watches, notices, quiet, services }: Memory): WatchesContent => ({
  watches,
  notices,
  quiet,
  services: services.map(({ followed, ...service }) => ({
    ...service,
    followed: [...followed].map(([id, one]) => ({ id, ...one })),
  })),
})

/** The watches where a target leads; null if there are none. */
export function placeAt(memory: Memory, target: HttpTarget): WatchedPlace | null {
  const isOwn = belongsTo(target)
  const watches = memory.watches.filter(isOwn)
  const known = memory.services.find(isOwn)
  const stored = storedService(target, known ?? watches[0])
  if (stored === null || watches.length === 0) return null
  const service = known ?? { ...stored, outage: null, followed: new Map() }
  return { environmentId: stored.environmentId, watches, service }
}

/** The memory with a new state of one service. */
export const withService = (memory: Memory, service: WatchedService): Memory => ({
  ...memory,
  services: [
    ...memory.services.filter(
      (one) => !(one.environmentId === service.environmentId && one.service === service.service),
    ),
    service,
  ],
})

/** The memory without services that have no watches, and without removed lists in the state of deployments. */
export function withoutUnwatched(memory: Memory): Memory {
  const ids = new Set(memory.watches.map(({ id }) => id))
  const services = memory.services.flatMap((service) => {
    const own = memory.watches.filter(
      (watch) => watch.environmentId === service.environmentId && watch.service === service.service,
    )
    if (own.length === 0) return []
    const alone = new Set(own.flatMap(({ on }) => (on.kind === 'deployment' ? on.deploymentId : [])))
    const followed = [...service.followed].flatMap(([id, one]): [string, typeof one][] => {
      const by = one.by.filter((watch) => ids.has(watch))
      return by.length > 0 || alone.has(id) || one.by.length === 0 ? [[id, { ...one, by }]] : []
    })
    return [{ ...service, followed: new Map(followed) }]
  })
  return { ...memory, services }
}

/**
 * The memory without the state of a deployment that no watch follows, so that a change from that state isn't reported.
 */
export function withoutUnfollowed(
  memory: Memory,
  { environmentId, service }: StoredService,
  id: string,
): Memory {
  const services = memory.services.map((one) => {
    const isTheirs = one.environmentId === environmentId && one.service === service
    if (!isTheirs || one.followed.get(id)?.by.length !== 0) return one
    return { ...one, followed: new Map([...one.followed].filter(([known]) => known !== id)) }
  })
  return { ...memory, services }
}

/** The memory without an environment's data. */
export function withoutEnvironment(memory: Memory, environmentId: string): Memory {
  const isOther = (one: { environmentId: string }): boolean => one.environmentId !== environmentId
  return {
    ...memory,
    watches: memory.watches.filter(isOther),
    notices: memory.notices.filter(isOther),
    services: memory.services.filter(isOther),
  }
}
