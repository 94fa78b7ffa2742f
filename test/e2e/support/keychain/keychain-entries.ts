import { homedir } from 'node:os'
import { join } from 'node:path'
import { inProject } from '../../../../electron/launcher/base.mjs'
import { keychainServiceName } from '../../../../electron/main/processes/keychain/types'
import type { Keytar } from '../../../../electron/cache/keychain'
import type { Slipway } from '../slipway'

/** The entries of an installation in the keychain, read and written without the application, with its own keytar. */
export interface KeychainEntries {
  /** Writes entries, by account. */
  set: (entries: Record<string, string>) => Promise<void>
  get: (account: string) => Promise<string | null>
  delete: (account: string) => Promise<boolean>
}

/** The entries of the installation with the data folder `userData`. `slipway` must be running while they are used. */
export function keychainEntries(slipway: Slipway, userData: string): KeychainEntries {
  const place = {
    library: inProject('node_modules/keytar'),
    service: keychainServiceName(userData, join(homedir(), '.config/slipway')),
  }
  return {
    set: (entries) =>
      slipway.app.evaluate(
        async (_electron, { library, service, entries }) => {
          const keytar = process.mainModule!.require(library) as Keytar
          for (const [account, value] of Object.entries(entries)) {
            await keytar.setPassword(service, account, value)
          }
        },
        { ...place, entries },
      ),
    get: (account) =>
      slipway.app.evaluate(
        (_electron, { library, service, account }) =>
          (process.mainModule!.require(library) as Keytar).getPassword(service, account),
        { ...place, account },
      ),
    delete: (account) =>
      slipway.app.evaluate(
        (_electron, { library, service, account }) =>
          (process.mainModule!.require(library) as Keytar).deletePassword(service, account),
        { ...place, account },
      ),
  }
}
