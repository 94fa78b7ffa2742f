import { createHash } from 'node:crypto'
import type { NetworkSettings } from '@contract'

/** What a session is set up for. */
export interface SessionSettings {
  network: NetworkSettings
  /** The origin of the base URL. What Chromium learns of one origin, such as that it wants TLS, holds for no other. */
  origin: string
}

/** Equal for equal settings. A hash, since a proxy's password is part of them. */
export function settingsKey({ network: { trust, proxy }, origin }: SessionSettings): string {
  return createHash('sha256').update(JSON.stringify({ origin, trust, proxy })).digest('hex')
}
