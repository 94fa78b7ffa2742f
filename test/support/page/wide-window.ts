import { vi } from 'vitest'

/** Replaces media queries by one that a test changes. `vi.unstubAllGlobals()` brings them back. */
export function stubWindowWidth(isWide: boolean): { isWide: boolean } {
  const query = Object.assign(new EventTarget(), { matches: isWide })
  vi.stubGlobal('matchMedia', () => query)
  return {
    get isWide() {
      return query.matches
    },
    set isWide(wide) {
      query.matches = wide
      query.dispatchEvent(new Event('change'))
    },
  }
}
