import { type Outcome, builtInEnvironments, fail, succeed } from '@contract'
import type { HttpClient } from '../http/port'
import { notFound } from './failures'
import type { ProfileStore } from './profile-store'
import type { Registry } from './registry'

/**
 * Forgets an environment of the user's own: its entry in the keychain, what its session kept, and its name in the
 * index, in this order, so that a crash in between leaves a name whose entry is gone, which can be removed again.
 */
export async function removeEnvironment(
  registry: Registry,
  profiles: ProfileStore,
  http: HttpClient,
  id: string,
): Promise<Outcome<null>> {
  const environment = registry.own.get(id)
  if (!environment) return fail(notFound())
  if (environment.kept === 'keychain') {
    const erased = await profiles.erase(id)
    if (!erased.ok) return registry.noted(erased)
  }
  await http.forget(id)
  registry.own.delete(id)
  if (registry.current === id) registry.current = builtInEnvironments.cloud.id
  const reason = await registry.write()
  if (environment.kept === 'keychain') registry.setKeychain(null)
  else registry.emit()
  return reason ? fail(reason) : succeed(null)
}
