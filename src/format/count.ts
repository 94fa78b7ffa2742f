/**
 * A whole number with separators: "1,200". Fractions are rounded. The system's formatter would do the same, but takes
 * milliseconds the first time, and the first screen has numbers.
 */
export const formatCount = (value: number): string =>
  String(Math.round(value)).replace(/\B(?=(?:\d{3})+$)/g, ',')

/** A count with its noun: "1 deployment", "3,120 deployments". */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${formatCount(count)} ${count === 1 ? noun : plural}`
