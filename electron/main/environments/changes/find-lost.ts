import { type Outcome, succeed } from '@contract'
import type { EnvironmentList } from '../list'
import { ownIdentifier, type ProfileStore } from '../profile/store'
import type { Whereabouts } from '../model/types'
import type { TimedQueue } from './timed-queue'

/** Lists environments again that a damaged index lost. Only for an open keychain. */
export async function searchForLost(list: EnvironmentList, profiles: ProfileStore): Promise<Outcome<null>> {
  const entries = await profiles.readAll()
  if (!entries.ok) return entries
  for (const [id, entry] of entries.value) if (!list.mayHave(id)) list.add(id, entry, placeholderName(id))
  list.setMustSearch(false)
  return succeed(null)
}

/**
 * Creates the function that looks for an environment whose data is on the disk. A removal deletes the keychain's entry
 * before it changes the index. So if the keychain has an entry that the index lacks, the index is an old one. Then the
 * keychain is searched for everything that the index lacks, as after a damaged index. At first only one missing entry
 * is read, and none if the keychain is known to be closed. Otherwise the entries of other programs would be unlocked.
 *
 * @param notice is called with a message for the operator if environments were found
 */
export function createLookFor(
  list: EnvironmentList,
  profiles: ProfileStore,
  queue: TimedQueue,
  notice: (text: string) => void,
): (id: string) => Promise<Whereabouts> {
  async function look(id: string): Promise<Whereabouts> {
    if (list.mayHave(id)) return 'listed'
    const entry = await profiles.read(id)
    if (!entry.ok) {
      // Retry looks again once the keychain answers.
      list.noteKeychain(entry.failure)
      return 'unknown'
    }
    if (entry.value === null) return list.isComplete ? 'gone' : 'unknown'
    const before = new Set(list.own().map((environment) => environment.id))
    list.add(id, entry.value, placeholderName(id))
    list.setMustSearch(true)
    const searched = await searchForLost(list, profiles)
    await list.write()
    list.noteKeychain(searched.ok ? null : searched.failure)
    const found = list.own().filter((environment) => !before.has(environment.id))
    notice(foundAgain(found.map(({ name }) => name)))
    return 'listed'
  }

  return async (id) => {
    if (list.mayHave(id)) return 'listed'
    const isClosed = list.keychain.state !== 'unknown' && list.keychain.state !== 'available'
    if (isClosed || !ownIdentifier.test(id)) return 'unknown'
    return (await queue.run(() => look(id))) ?? 'unknown'
  }
}

const placeholderName = (id: string): string => `Environment ${id.slice(0, 8)}`

function foundAgain(names: string[]): string {
  const [first = ''] = names
  const which = names.length === 1 ? `"${first}" was` : `${names.length} environments were`
  return (
    `The list of environments was missing or out of date: ${which} not in it, but in the ` +
    `keychain. ${names.length === 1 ? 'It is' : 'They are'} listed again.`
  )
}
