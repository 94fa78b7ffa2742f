/** Names are the same when people would call them so: upper or lower case and composition do not count. */
export function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase()
}

export function isSameName(one: string, other: string): boolean {
  return nameKey(one) === nameKey(other)
}
