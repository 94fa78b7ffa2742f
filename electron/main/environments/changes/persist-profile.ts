import { type EnvironmentProfile, type Outcome, fail, succeed } from '@contract'
import type { EnvironmentList } from '../list'
import type { ProfileStore } from '../profile/store'

/**
 * Writes a profile into the keychain and its name into the index. Without a keychain, keeps it for the session.
 *
 * The keychain comes first: a crash in between leaves an entry that the index calls unfinished, which the next start
 * finds. The same goes for an index that can't be written after the keychain. So a failure means that nothing has
 * changed, or that the keychain didn't answer.
 */
export async function persistProfile(
  list: EnvironmentList,
  profiles: ProfileStore,
  id: string,
  profile: EnvironmentProfile,
): Promise<Outcome<null>> {
  const isNew = list.find(id)?.storage !== 'keychain'
  let undo = (): void => undefined
  if (isNew) {
    undo = list.beginSave(id, profile.name)
    const reason = await list.write()
    if (reason) {
      undo()
      return fail(reason)
    }
  }
  const written = await profiles.write(id, profile)
  if (!written.ok && written.failure.code === 'keychain-missing' && isNew) {
    undo()
    list.put(id, profile, 'session')
    await list.write()
    list.noteKeychain(written.failure)
    return succeed(null)
  }
  if (!written.ok) {
    // Without an answer, the entry may have been written. Then the save stays unfinished.
    if (written.failure.code !== 'keychain-unresponsive') undo()
    await list.write()
    list.noteKeychain(written.failure)
    return written
  }
  list.put(id, profile, 'keychain')
  await list.write()
  list.noteKeychain(null)
  return succeed(null)
}
