/** The nickname of an integration in its environment; null if it has none. */
export function nicknameOf(id: string, nicknames: Readonly<Record<string, string>> = {}): string | null {
  const key = id.trim().toLowerCase()
  // A service may call an integration what every object has, such as "constructor".
  return Object.hasOwn(nicknames, key) ? (nicknames[key] ?? null) : null
}
