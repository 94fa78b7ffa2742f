import { join } from 'node:path'
import type { EnvironmentMode } from '@contract'
import {
  begunAnewNotice,
  type BuiltInService,
  type BuiltInServiceOptions,
  createBuiltInService,
} from '../processes/built-in-service'
import { createKeychains } from '../processes/keychain'
import type { FileKeys } from '../processes/keychain/file-keys'
import { loggedKeychain } from '../processes/keychain/logged'
import { keychainServiceName, type Keychain } from '../processes/keychain/types'
import type { StoreProcess } from '../processes/store-process'
import { createState, type State } from '../stored/state'
import { log } from '../log'
import type { NoticeBoard } from '../window/notices'

/** Gives clients of the keychain, which log their calls. */
export function createOpenKeychain(
  process: StoreProcess,
  folders: { userData: string; default: string },
): () => Keychain {
  const open = createKeychains({
    process,
    service: keychainServiceName(folders.userData, folders.default),
  })
  return () => loggedKeychain(open(), log)
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

/** What Slipway keeps on the disk, with a notice if the file was set aside. For `unlockedLate`, see `StateOptions`. */
export const openState = (
  userDataFolder: string,
  process: StoreProcess,
  keys: FileKeys,
  notices: NoticeBoard,
  unlockedLate: () => void,
): State =>
  createState({
    file: join(userDataFolder, 'state.db'),
    process,
    keys,
    notice: (text) => notices.set('state', text),
    unlockedLate,
  })
