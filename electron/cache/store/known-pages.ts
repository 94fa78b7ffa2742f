import { createHash } from 'node:crypto'
import type { WrittenPage } from '@contract/cache'

/** How many deployments of known pages a cache remembers, at about 250 bytes each. */
const maxDeployments = 120_000

/** A small cache remembers pages of this many deployments, even if it has fewer. */
const fewestDeployments = 1_000

/**
 * The pages that were written last, by the checksum of their body. A page that comes again unchanged isn't parsed
 * again. A deployment that is added at the beginning of the list changes every page, so the limit is twice the length
 * of the list: enough for a whole synchronisation and for what the operator browses meanwhile.
 */
export interface KnownPages {
  /** The page with a body. It counts as just used. */
  find: (checksum: string) => WrittenPage | undefined
  /** Remembers a page, and forgets the least recently used ones. */
  remember: (checksum: string, page: WrittenPage) => void
}

/** Identifies a body, as the contract says. */
export function bodyDigest(body: Uint8Array): string {
  return createHash('sha1').update(body).digest('base64')
}

/** `deployments` gives how many the cache has. */
export function createKnownPages(deployments: () => number): KnownPages {
  // The least recently used first.
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
      const limit = Math.min(maxDeployments, Math.max(fewestDeployments, 2 * deployments()))
      for (const oldest of pages.keys()) {
        if (items <= limit) break
        forget(oldest)
      }
    },
  }
}
