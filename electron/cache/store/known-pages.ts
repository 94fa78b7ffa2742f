import type { WrittenPage } from '@contract/cache'

/** How many deployments of known pages a cache remembers; some 250 bytes each. */
const mostDeployments = 120_000

/** A small cache remembers pages of this many deployments, however few it has. */
const fewestDeployments = 1_000

/**
 * The pages that were written last, by the checksum of their body: one that comes again unchanged isn't parsed again. A
 * deployment that is added at the head of the list changes every page, so the list's length bounds what is remembered:
 * twice that holds a whole synchronisation and what someone browses beside it.
 */
export interface KnownPages {
  /** The page of a text, which counts as used now. */
  find: (checksum: string) => WrittenPage | undefined
  /** Remembers a page, and forgets those that were not used for longest. */
  remember: (checksum: string, page: WrittenPage) => void
}

/** `deployments` tells how many the cache has. */
export function createKnownPages(deployments: () => number): KnownPages {
  // In the order of their last use.
  const pages = new Map<string, WrittenPage>()
  let items = 0

  function forget(checksum: string): WrittenPage | undefined {
    const page = pages.get(checksum)
    if (!page) return undefined
    pages.delete(checksum)
    items -= page.items.length
    return page
  }

  function add(checksum: string, page: WrittenPage): void {
    pages.set(checksum, page)
    items += page.items.length
  }

  return {
    find(checksum) {
      const page = forget(checksum)
      if (page) add(checksum, page)
      return page
    },
    remember(checksum, page) {
      forget(checksum)
      // An empty page costs nothing to parse.
      if (page.items.length === 0) return
      add(checksum, page)
      const limit = Math.min(mostDeployments, Math.max(fewestDeployments, 2 * deployments()))
      for (const oldest of pages.keys()) {
        if (items <= limit) break
        forget(oldest)
      }
    },
  }
}
