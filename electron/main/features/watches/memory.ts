import type { StoredService } from '@contract/ipc/personal-file'
import type { StoredWatch } from '@contract/ipc/watches-file'
import type { HttpTarget } from '../../http/types'
import { belongsTo, storedService } from '../personal/stored-service'
import type { WatchesContent } from './file'
import { type Outage, resumedOutage } from './rules/outage'
import { toldOf } from './rules/told'
import type { FollowedMap } from './rules/types'

/** What is known of a service whose deployments are watched. */
export interface WatchedService extends StoredService {
  outage: Outage | null
  followed: FollowedMap
}

/** The content of the file, as the rules use it. Nothing in it is changed in place. */
export interface Memory extends Omit<WatchesContent, 'services' | 'version'> {
  services: readonly WatchedService[]
}

/** An environment's watches of the service that it leads to now, and what is known of that. */
export interface WatchedPlace {
  environmentId: string
  watches: readonly StoredWatch[]
  service: WatchedService
}

/**
 * The baseline of a list that began with a synchronisation that didn't settle: some of its deployments may be missing,
 * so that nothing is new of what a later one finds.
 */
export const unsettled = 'unsettled'

export const fromFile = ({ watches, notices, quiet, services }: WatchesContent): Memory => ({
  watches,
  notices,
  quiet,
  services: services.map(({ followed, outage, ...service }) => ({
    ...service,
    outage: outage && resumedOutage(outage),
    followed: new Map(followed.map(({ id, told, ...one }) => [id, { ...one, told: toldOf(told) }])),
  })),
})

export const toFile = ({ watches, notices, quiet, services }: Memory): WatchesContent => ({
  version: 1,
  watches,
  notices,
  quiet,
  services: services.map(({ followed, ...service }) => ({
    ...service,
    followed: [...followed].map(([id, one]) => ({ id, ...one })),
  })),
})

/** What is watched where a target leads; null if nothing is. */
export function placeAt(memory: Memory, target: HttpTarget): WatchedPlace | null {
  const isOwn = belongsTo(target)
  const watches = memory.watches.filter(isOwn)
  const known = memory.services.find(isOwn)
  const kept = storedService(target, known ?? watches[0])
  if (kept === null || watches.length === 0) return null
  const service = known ?? { ...kept, outage: null, followed: new Map() }
  return { environmentId: kept.environmentId, watches, service }
}

/** A memory in which a service is known like this. */
export const withService = (memory: Memory, service: WatchedService): Memory => ({
  ...memory,
  services: [
    ...memory.services.filter(
      (one) => !(one.environmentId === service.environmentId && one.service === service.service),
    ),
    service,
  ],
})

/** A memory without services that nothing is watched of, and without lists in deployments that no longer have them. */
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
 * A memory in which nothing is known of a deployment that no watch follows: what changed since it was followed the last
 * time is no news.
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

/** A memory without what belongs to an environment. */
export function withoutEnvironment(memory: Memory, environmentId: string): Memory {
  const isOther = (one: { environmentId: string }): boolean => one.environmentId !== environmentId
  return {
    ...memory,
    watches: memory.watches.filter(isOther),
    notices: memory.notices.filter(isOther),
    services: memory.services.filter(isOther),
  }
}
