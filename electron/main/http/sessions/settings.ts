import { createHash } from 'node:crypto'
import type { NetworkSettings } from '@contract'

/** What a session is set up for. */
export interface SessionSettings {
  network: NetworkSettings
  /**
   * The origin of the base URL. What Chromium learns about one origin, such as that it requires TLS, doesn't hold for
   * others.
   */
  origin: string
}

/** Equal for equal settings. A hash, because settings may contain a proxy's password. */
export function settingsKey({ network: { trust, proxy }, origin }: SessionSettings): string {
  return createHash('sha256').update(JSON.stringify({ origin, trust, proxy })).digest('hex')
}
