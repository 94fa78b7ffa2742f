/** A name as it is compared with others: without differences of case and Unicode composition. */
export const foldName = (name: string): string => name.normalize('NFKC').toLowerCase()
