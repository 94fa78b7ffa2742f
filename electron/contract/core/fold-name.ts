/** A name for comparison: without differences of case and Unicode composition. */
export const foldName = (name: string): string => name.normalize('NFKC').toLowerCase()
