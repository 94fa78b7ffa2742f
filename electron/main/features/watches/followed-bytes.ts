import type { Memory } from './memory'
import { hashLength, maxReported } from './rules/transition-hash'
import type { FollowedMap, State } from './rules/types'

/** How many bytes a followed deployment takes at most besides its texts: names, marks, and reported transitions. */
const besideTexts = 240 + maxReported * (hashLength + 3)

/** The length of a watch's identifier, with its quotes and comma. */
export const bytesOfWatchId = 39

/** Matches texts that JSON writes unchanged, in one byte a character. Most are. */
const plain = /^[ !#-[\]-~]*$/

function bytes(text: string | null): number {
  if (text === null) return 0
  return plain.test(text) ? text.length + 2 : Buffer.byteLength(JSON.stringify(text))
}

/**
 * Roughly the largest number of bytes that a followed deployment takes in the file, with a pending state. Identifiers
 * and revisions are chosen by the service and may be long.
 *
 * @param lists how many lists have it
 */
export const bytesOfFollowed = (
  { id, status, latest, active, runs }: State & { id: string },
  lists: number,
): number =>
  besideTexts +
  bytes(id) +
  2 * [status, latest, active, runs].reduce((sum, text) => sum + bytes(text), 0) +
  lists * bytesOfWatchId

const ofMap = (followed: FollowedMap): number =>
  [...followed].reduce((sum, [id, one]) => sum + bytesOfFollowed({ id, ...one }, one.by.length), 0)

/** How many bytes the deployments of other services take. The rest is left for the lists of one service. */
export const bytesElsewhere = (
  { services }: Memory,
  { environmentId, service }: { environmentId: string; service: string },
): number =>
  services
    .filter((one) => !(one.environmentId === environmentId && one.service === service))
    .reduce((sum, { followed }) => sum + ofMap(followed), 0)
