/** A name as it is compared with others: without differences of case and Unicode composition. */
export function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase()
}

export function isSameName(one: string, other: string): boolean {
  return nameKey(one) === nameKey(other)
}
