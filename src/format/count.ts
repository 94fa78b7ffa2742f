/** A whole number with separators: "1,200". Fractions are rounded. */
export const formatCount = (value: number): string => Math.round(value).toLocaleString('en-GB')

/** A count with its noun: "1 deployment", "3,120 deployments". */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${formatCount(count)} ${count === 1 ? noun : plural}`
