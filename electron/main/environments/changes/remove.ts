import { type Failure, type Outcome, fail, failure, succeed } from '@contract'
import { notConfirmed, mayBeProtected, notFound } from '../model/failures'
import type { EnvironmentList } from '../list'
import type { ProfileStore } from '../profile/store'

/**
 * Removes an environment that the operator added: first its keychain entry, then its name in the index. A crash in
 * between leaves a name without an entry, which can be removed again.
 *
 * @param confirmedName the environment's name as typed: needed if it is protected, or its profile can't be read
 * @param onRemoved is called once the entry is gone, whether or not the index can be written. Nothing waits for what it
 *   starts, since no other change can begin before this one ends
 */
export async function removeEnvironment(
  list: EnvironmentList,
  profiles: ProfileStore,
  id: string,
  confirmedName: string | null,
  onRemoved: () => void,
): Promise<Outcome<null>> {
  const environment = list.find(id)
  if (!environment) return fail(notFound())
  const isKnown = environment.profile !== null
  if ((environment.profile?.protected ?? true) && confirmedName !== environment.name)
    return fail(isKnown ? notConfirmed(environment.name) : mayBeProtected(environment.name))
  if (environment.storage === 'keychain') {
    const erased = await profiles.erase(id)
    if (!erased.ok) {
      list.noteKeychain(erased.failure)
      return erased
    }
  }
  list.remove(id)
  onRemoved()
  const reason = await list.write()
  if (environment.storage === 'keychain') list.noteKeychain(null)
  else list.emit()
  return reason && environment.storage === 'keychain' ? fail(stillInIndex(environment.name)) : succeed(null)
}

function stillInIndex(name: string): Failure {
  return failure(
    'internal',
    `"${name}" was removed, but the list of environments couldn't be written to disk.`,
    {
      advice:
        'Its stored data is deleted. Free some space or fix the permissions of the folder. If it is listed again after a ' +
        'restart, remove it there.',
    },
  )
}
