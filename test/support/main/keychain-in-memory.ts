import { fail, succeed } from '@contract'
import { locked } from '../../../electron/main/processes/keychain/failures'
import type { Keychain } from '../../../electron/main/processes/keychain/types'

/** A keychain with these entries that looks empty while it is locked, as on Linux. */
export function keychainInMemory(entries: Map<string, string>, isLocked: () => boolean): Keychain {
  return {
    looksEmptyWhenLocked: true,
    entryLimit: null,
    get: async (account) => succeed(isLocked() ? null : (entries.get(account) ?? null)),
    async set(account, value) {
      if (isLocked()) return fail(locked())
      entries.set(account, value)
      return succeed(null)
    },
    delete: async (account) => succeed(!isLocked() && entries.delete(account)),
    findAll: async () => succeed([...entries].map(([account, value]) => ({ account, value }))),
    giveUp: () => undefined,
    renew: () => undefined,
    close: () => undefined,
  }
}
