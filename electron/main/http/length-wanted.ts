import type { Failure } from '@contract'

/** The origins that may want to know the length of a body beforehand, as an answer of theirs said in this run. */
const origins = new Set<string>()

/** With these, services refuse a body in chunks that they can't read: 411 says so, the others may mean it. */
const mayMeanIt: readonly number[] = [400, 411, 501]

/** Whether a service may want to know the length of a body beforehand. */
export const isLengthWanted = (url: string): boolean => origins.has(new URL(url).origin)

/** Notes what a failed POST says of the length that a service may want to know. */
export function noteLengthWanted(url: string, { status }: Failure): void {
  if (status !== null && mayMeanIt.includes(status)) origins.add(new URL(url).origin)
}
