import { type EnvironmentProfile, type Outcome, fail, succeed } from '@contract'
import { lockedOrEmptied } from '../../processes/keychain/failures'
import { marker, type Keychain } from '../../processes/keychain/types'
import { type ReadEntry, readEntry } from '.'

/** The profiles in the keychain, one entry for each environment. Failures are the keychain's. */
export interface ProfileStore {
  /**
   * Asks whether the keychain can be used. `there`: only whether there is one. `open`: whether it gives out what is
   * stored. `certainly-open`: writes the marker to prove it. The system may then ask for a password, so use that only
   * when the operator requests it.
   */
  probe: (what: 'there' | 'open' | 'certainly-open') => Promise<Outcome<null>>
  /** The entry of an environment; null if the keychain is open and has none. */
  read: (id: string) => Promise<Outcome<ReadEntry | null>>
  write: (id: string, profile: EnvironmentProfile) => Promise<Outcome<null>>
  /** Deletes the entry of an environment, or makes sure that there is none. */
  erase: (id: string) => Promise<Outcome<null>>
  /** Every entry, by identifier. Only for an open keychain. */
  readAll: () => Promise<Outcome<Map<string, ReadEntry>>>
}

/** The identifiers of the operator's own environments. */
export const ownIdentifier = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Creates the profile store. If a locked keychain looks empty on this system, the store writes a marker before the
 * first profile. While the marker is readable, other missing entries don't exist. While it isn't, they may.
 */
export function createProfileStore(keychain: Keychain): ProfileStore {
  let markerWritten = false

  async function writeMarker(): Promise<Outcome<null>> {
    const written = await keychain.set(marker.account, marker.value)
    markerWritten = written.ok
    return written
  }

  async function readMarker(): Promise<Outcome<null>> {
    const found = await keychain.get(marker.account)
    if (!found.ok) return found
    if (found.value === null && keychain.looksEmptyWhenLocked) return fail(lockedOrEmptied())
    markerWritten ||= found.value !== null
    return succeed(null)
  }

  return {
    async probe(what) {
      if (what === 'certainly-open' && keychain.looksEmptyWhenLocked) return writeMarker()
      if (what !== 'there') return readMarker()
      const answer = await keychain.get(marker.account)
      return answer.ok ? succeed(null) : answer
    },

    async read(id) {
      const first = await keychain.get(id)
      if (!first.ok) return first
      if (first.value !== null) return succeed(readEntry(first.value))
      if (!keychain.looksEmptyWhenLocked) return succeed(null)
      const open = await readMarker()
      if (!open.ok) return open
      // The keychain may have been unlocked only for the marker.
      const second = await keychain.get(id)
      if (!second.ok) return second
      return succeed(second.value === null ? null : readEntry(second.value))
    },

    async write(id, profile) {
      if (keychain.looksEmptyWhenLocked && !markerWritten) {
        const marked = await writeMarker()
        if (!marked.ok) return marked
      }
      return keychain.set(id, JSON.stringify(profile))
    },

    async erase(id) {
      const first = await keychain.delete(id)
      if (!first.ok) return first
      if (first.value || !keychain.looksEmptyWhenLocked) return succeed(null)
      const open = await writeMarker()
      if (!open.ok) return open
      const second = await keychain.delete(id)
      return second.ok ? succeed(null) : second
    },

    async readAll() {
      const found = await keychain.findAll()
      if (!found.ok) return found
      const entries = found.value.filter(({ account }) => ownIdentifier.test(account))
      return succeed(new Map(entries.map(({ account, value }) => [account, readEntry(value)])))
    },
  }
}
