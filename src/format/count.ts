import { formatCount } from '@contract/core/text'

export { formatCount }

/** A count with its noun: "1 deployment", "3,120 deployments". */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${formatCount(count)} ${count === 1 ? noun : plural}`
