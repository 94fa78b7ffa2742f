/** A whole number with separators: "1,200". Fractions are rounded. */
export const formatCount = (value: number): string => Math.round(value).toLocaleString('en-GB')
