import { formatCount, shownText } from '@contract/core/text'
import type { DeploymentDetail } from '@contract'

export { formatCount }

/** A count with its noun: "1 deployment", "3,120 deployments". */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${formatCount(count)} ${count === 1 ? noun : plural}`

/** A shortened identifier, enough to tell deployments of one name apart. */
export const identifierText = (id: string): string => shownText(id, { max: 40 })

/** The nickname of an integration in its environment; null if it has none. */
export function nicknameOf(id: string, nicknames: Readonly<Record<string, string>> = {}): string | null {
  const key = id.trim().toLowerCase()
  // A service may call an integration what every object has, such as "constructor".
  return Object.hasOwn(nicknames, key) ? (nicknames[key] ?? null) : null
}

/** Why a deployment is shown from the cache, as a clause. */
export const whyCached = ({ missingAt }: NonNullable<DeploymentDetail['fromCache']>): string =>
  missingAt === undefined
    ? "the service can't be reached"
    : 'the service has no deployment with this identifier'
