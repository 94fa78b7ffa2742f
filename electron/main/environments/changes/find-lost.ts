import { type Outcome, succeed } from '@contract'
import { type ProfileStore, ownIdentifier } from '../profile/store'
import type { Registry } from '../list'
import type { Turns } from './timed-queue'
import type { Whereabouts } from '../types'

/** Finds the environments again that a damaged index listed. Only for an open keychain. */
export async function searchForLost(registry: Registry, profiles: ProfileStore): Promise<Outcome<null>> {
  const entries = await profiles.readAll()
  if (!entries.ok) return entries
  for (const [id, entry] of entries.value)
    if (!registry.mayExist(id)) registry.adopt(id, entry, `Environment ${id.slice(0, 8)}`)
  registry.rebuild = false
  return succeed(null)
}

/**
 * Looks for an environment of which something is kept on the disk. Where the list lacks it but the keychain has its entry,
 * the list is not the last one that was written, since a removal deletes the entry first: then the keychain is searched for
 * all that the list lacks, as after a damaged one. Asks the keychain for one entry that is missing, so that nothing is
 * unlocked for others, and not where it is known to be closed.
 */
export function createLookFor(
  registry: Registry,
  profiles: ProfileStore,
  turns: Turns,
  notice: (text: string) => void,
): (id: string) => Promise<Whereabouts> {
  async function ask(id: string): Promise<Whereabouts> {
    if (registry.mayExist(id)) return 'listed'
    const entry = await profiles.read(id)
    if (!entry.ok) {
      // Retry, once it can be answered, looks again.
      registry.setKeychain(entry.failure)
      return 'unknown'
    }
    if (entry.value === null) return registry.isComplete ? 'gone' : 'unknown'
    const before = new Set(registry.own.keys())
    registry.adopt(id, entry.value, `Environment ${id.slice(0, 8)}`)
    registry.rebuild = true
    const searched = await searchForLost(registry, profiles)
    await registry.write()
    registry.setKeychain(searched.ok ? null : searched.failure)
    if (!registry.indexIsNewer)
      notice(
        foundAgain([...registry.own.values()].filter((one) => !before.has(one.id)).map(({ name }) => name)),
      )
    return 'listed'
  }

  return async (id) => {
    if (registry.mayExist(id)) return 'listed'
    const isClosed = registry.keychain.state !== 'unknown' && registry.keychain.state !== 'available'
    if (isClosed || !ownIdentifier.test(id)) return 'unknown'
    const turn = await turns.take(() => ask(id))
    return turn.waited ? turn.result : 'unknown'
  }
}

function foundAgain(names: string[]): string {
  const [first = ''] = names
  const which = names.length === 1 ? `"${first}" was` : `${names.length} environments were`
  return (
    `The list of environments was missing, or not the last one that Slipway wrote: ${which} not in it, but in the ` +
    `keychain. ${names.length === 1 ? 'It is' : 'They are'} listed again.`
  )
}
