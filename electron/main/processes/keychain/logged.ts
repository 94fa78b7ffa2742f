import type { Outcome } from '@contract'
import type { Log } from '../../log'
import type { Keychain } from './types'

/** A keychain that logs its calls, without accounts and values. */
export function loggedKeychain(keychain: Keychain, log: Log): Keychain {
  async function noted<T>(call: string, asking: Promise<Outcome<T>>): Promise<Outcome<T>> {
    const began = performance.now()
    const outcome = await asking
    const ms = Math.round(performance.now() - began)
    if (outcome.ok) log.debug('keychain', call, { ms })
    else log.warn('keychain', call, { ms, code: outcome.failure.code })
    return outcome
  }

  return {
    looksEmptyWhenLocked: keychain.looksEmptyWhenLocked,
    entryLimit: keychain.entryLimit,
    get: (account) => noted('get', keychain.get(account)),
    set: (account, value) => noted('set', keychain.set(account, value)),
    delete: (account) => noted('delete', keychain.delete(account)),
    findAll: () => noted('findAll', keychain.findAll()),
    giveUp: () => keychain.giveUp(),
    renew: () => keychain.renew(),
    close: () => keychain.close(),
  }
}
