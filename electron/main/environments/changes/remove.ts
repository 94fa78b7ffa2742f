import { type Failure, type Outcome, builtInEnvironments, fail, failure, succeed } from '@contract'
import { notFound } from '../failures'
import type { ProfileStore } from '../profile/store'
import type { Registry } from '../list'

/**
 * Forgets an environment of the user's own: its entry in the keychain and then its name in the index, so that a crash in
 * between leaves a name whose entry is gone, which can be removed again.
 *
 * Once the entry is gone so is the environment, whatever becomes of the index; then `removed` is called. What it begins
 * is not waited for, since nothing else can be saved or removed before this ends.
 */
export async function removeEnvironment(
  registry: Registry,
  profiles: ProfileStore,
  id: string,
  removed: () => void,
): Promise<Outcome<null>> {
  const environment = registry.own.get(id)
  if (!environment) return fail(notFound())
  if (environment.kept === 'keychain') {
    const erased = await profiles.erase(id)
    if (!erased.ok) return registry.noted(erased)
  }
  registry.own.delete(id)
  if (registry.current === id) registry.current = builtInEnvironments.cloud.id
  removed()
  const reason = await registry.write()
  if (environment.kept === 'keychain') registry.setKeychain(null)
  else registry.emit()
  return reason && environment.kept === 'keychain' ? fail(stillInIndex(environment.name)) : succeed(null)
}

function stillInIndex(name: string): Failure {
  return failure(
    'internal',
    `"${name}" was removed, but the list of environments could not be written to disk.`,
    {
      advice:
        'What was stored for it is deleted. Make room or mend the permissions of the folder; if it is listed again after ' +
        'a restart, remove it there.',
    },
  )
}
