/**
 * A whole number with separators: "1,200". Fractions are rounded. The system's formatter would do the same, but takes
 * milliseconds the first time, and every start writes numbers.
 */
export const formatCount = (value: number): string =>
  String(Math.round(value)).replace(/\B(?=(?:\d{3})+$)/g, ',')
