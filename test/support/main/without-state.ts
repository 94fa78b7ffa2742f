import { fail, failure } from '@contract'
import type { State } from '../../../electron/main/stored/state'

const missing = async () => fail(failure('keychain-missing', 'None.'))

/** `state.db` on a machine without a keychain: everything but the journal stays in memory. */
export const withoutState: State = {
  read: missing,
  write: missing,
  unlock: missing,
  isUnlocked: () => false,
  exists: () => false,
}
