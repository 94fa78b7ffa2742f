import type { Outcome } from '@contract'
import type { Log } from '../../log'
import type { Redactor } from '../../log/secrets/redaction'
import { marker } from './marker'
import type { Keychain } from './types'

/**
 * A keychain that logs its calls, without accounts and values. The redactor learns every value that is stored or read.
 */
export function loggedKeychain(keychain: Keychain, log: Log, redactor: Redactor): Keychain {
  /** An entry is a profile with some secret members, a key, which is secret as a whole, or the marker. */
  async function learn(entry: string): Promise<void> {
    // The marker isn't secret, and the log needs its text.
    if (entry === marker.value) return
    await (entry.trimStart().startsWith('{') ? redactor.learnFrom(entry) : redactor.learn(entry))
  }

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
    async get(account) {
      const outcome = await noted('get', keychain.get(account))
      if (outcome.ok && outcome.value !== null) await learn(outcome.value)
      return outcome
    },
    async set(account, value) {
      await learn(value)
      return await noted('set', keychain.set(account, value))
    },
    delete: (account) => noted('delete', keychain.delete(account)),
    async findAll() {
      const outcome = await noted('findAll', keychain.findAll())
      if (outcome.ok) for (const { value } of outcome.value) await learn(value)
      return outcome
    },
    giveUp: () => keychain.giveUp(),
    renew: () => keychain.renew(),
    close: () => keychain.close(),
  }
}
