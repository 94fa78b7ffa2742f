import { join } from 'node:path'
import type { EnvironmentMode } from '@contract'
import {
  begunAnewNotice,
  type BuiltInService,
  type BuiltInServiceOptions,
  createBuiltInService,
} from '../processes/built-in-service'
import { cacheKeyAccount } from '../processes/cache-client/keys'
import { createDrafts, type Drafts, type DraftsOptions } from '../stored/drafts'
import type { Environments } from '../environments'
import { type EncryptedFile, encryptedFile } from '../files/encrypted-file'
import type { StoredFileOptions } from '../stored/file'
import { createJournal, type Journal, type JournalEvents, type SentToOf } from '../stored/journal'
import { JournalFile } from '../stored/journal/file/journal-file'
import { LineEncryption } from '../stored/journal/file/line-encryption'
import { createKeychain } from '../processes/keychain'
import { type CachedKeys, createCachedKeys, keysNotice } from '../processes/keychain/cached-keys'
import { createFileKeys } from '../processes/keychain/file-keys'
import { loggedKeychain } from '../processes/keychain/logged'
import type { KeychainProcesses } from '../processes/keychain/processes'
import { keychainServiceName } from '../processes/keychain/service-name'
import type { Keychain } from '../processes/keychain/types'
import { createPersonal, type Personal, type PersonalOptions } from '../stored/personal'
import { openWatchesFile, type StoredWatches } from '../features/watches/file'
import { log } from '../log'
import { report } from '../log/report-error'
import type { NoticeBoard } from '../window/notices'

/** Opens the keychain; `first` for the part that is needed first. */
type OpenKeychain = (first?: boolean) => Keychain

export function createOpenKeychain(
  processes: KeychainProcesses,
  folders: { userData: string; default: string },
): OpenKeychain {
  const service = keychainServiceName(folders.userData, folders.default)
  return (first = false) => loggedKeychain(createKeychain({ processes, service, first }), log)
}

/** The built-in service, with a notice if a sandbox was reset. */
export function createSandbox(
  fork: BuiltInServiceOptions['fork'],
  userDataFolder: string,
  notices: NoticeBoard,
): BuiltInService {
  const begunAnew = new Map<EnvironmentMode, string>()
  return createBuiltInService({
    fork,
    folder: join(userDataFolder, 'built-in-service'),
    begunAnew: (mode, aside) => {
      begunAnew.set(mode, aside)
      notices.set('sandbox', begunAnewNotice(begunAnew))
    },
  })
}

/** The keys of Slipway's files. */
export function createKeys(
  openKeychain: OpenKeychain,
  environments: Environments,
  notices: NoticeBoard,
): CachedKeys {
  return createCachedKeys({
    keys: createFileKeys(openKeychain),
    open: openKeychain,
    proofs: () => environments.state().environments.map(({ id }) => cacheKeyAccount(id)),
    found: (amiss) => notices.set('keys', keysNotice(amiss)),
    wroteBack: (account, failed) => log.warn('keychain', `${account} was missing`, { failed }),
  })
}

export function openJournal(
  userDataFolder: string,
  keys: CachedKeys,
  events: JournalEvents,
  sentTo: SentToOf,
): Journal {
  const encryption = new LineEncryption(async (stored) => {
    const key = await keys.keyFor('journal-key', { stored })
    return key.ok ? key.value : null
  })
  const file = new JournalFile(join(userDataFolder, 'journal.jsonl'), encryption)
  const changed: JournalEvents['changed'] = (entry) => {
    events.changed(entry)
    void keys.noteWrite().catch(report)
  }
  return createJournal(file, { ...events, changed }, sentTo)
}

export const openDrafts = (
  userDataFolder: string,
  keys: CachedKeys,
  options: Omit<DraftsOptions, 'file' | 'keys'>,
): Drafts => createDrafts({ ...options, file: openEncrypted(userDataFolder, 'drafts.sealed', keys), keys })

export const openPersonal = (
  userDataFolder: string,
  keys: CachedKeys,
  options: Omit<PersonalOptions, 'file' | 'keys'>,
): Personal =>
  createPersonal({ ...options, file: openEncrypted(userDataFolder, 'personal.sealed', keys), keys })

export const openWatches = (
  userDataFolder: string,
  keys: CachedKeys,
  options: Omit<StoredFileOptions, 'file' | 'keys'>,
): StoredWatches =>
  openWatchesFile({ ...options, file: openEncrypted(userDataFolder, 'watches.sealed', keys), keys })

/** An encrypted file, after whose writes the keys are checked. */
function openEncrypted(userDataFolder: string, name: string, keys: CachedKeys): EncryptedFile {
  const file = encryptedFile(join(userDataFolder, name))
  return {
    ...file,
    async write(key, text) {
      await file.write(key, text)
      void keys.noteWrite().catch(report)
    },
  }
}
