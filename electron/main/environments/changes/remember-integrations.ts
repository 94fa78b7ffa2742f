import { builtInMode } from '../model/built-in'
import type { EnvironmentList } from '../list'
import { sizeIssues } from '../profile/limits'
import type { ProfileStore } from '../profile/store'
import type { TimedQueue } from './timed-queue'

const maxIntegrations = 200

/**
 * Creates the function that adds an integration to the known ones of an environment: in the index for a built-in one,
 * otherwise in its profile. It resolves when all integrations so far are written, or couldn't be.
 *
 * A page can list any number of integrations. So only one write runs at a time, for all environments, and the next
 * write of an environment has everything that was added meanwhile. So saving an environment waits for one
 * write at most. New integrations are added after the known ones, as long as there is room (see `sizeIssues`).
 */
export function createRememberIntegration(
  list: EnvironmentList,
  profiles: ProfileStore,
  queue: TimedQueue,
  entryLimit: number | null,
): (id: string, integrationId: string) => Promise<void> {
  const waiting = new Map<string, Set<string>>()
  let writing: Promise<void> | null = null

  async function writeWaiting(): Promise<void> {
    try {
      // An environment that is added again meanwhile moves to the end of the map.
      for (const [id, integrationIds] of waiting) {
        waiting.delete(id)
        if (builtInMode(id)) await writeToIndex(id, integrationIds)
        else await queue.run(() => writeToProfile(id, integrationIds))
      }
    } finally {
      writing = null
    }
  }

  async function writeToIndex(id: string, integrationIds: Iterable<string>): Promise<void> {
    list.setIntegrations(id, withNew(knownTo(id), integrationIds))
    list.emit()
    await list.write()
  }

  async function writeToProfile(id: string, integrationIds: Iterable<string>): Promise<void> {
    const environment = list.find(id)
    const entry = environment?.storage === 'keychain' ? await profiles.read(id) : null
    const stored = entry ? (entry.ok && entry.value?.ok ? entry.value.profile : null) : environment?.profile
    if (!environment || !stored) return
    let profile = stored
    for (const integrationId of integrationIds) {
      const next = { ...profile, integrations: withNew(profile.integrations, [integrationId]) }
      if (sizeIssues(next, entryLimit).length > 0) break
      profile = next
    }
    if (profile.integrations.length === stored.integrations.length) return
    if (environment.storage === 'keychain' && !(await profiles.write(id, profile)).ok) return
    list.updateProfile(id, profile)
    list.emit()
  }

  const knownTo = (id: string): readonly string[] =>
    (builtInMode(id) ? list.integrationsOf(id) : list.find(id)?.profile?.integrations) ?? []

  return (id, integrationId) => {
    const known = knownTo(id)
    const added = waiting.get(id) ?? new Set()
    if (!known.includes(integrationId) && known.length + added.size < maxIntegrations) {
      waiting.set(id, added.add(integrationId))
      writing ??= writeWaiting()
    }
    return writing ?? Promise.resolve()
  }
}

/** The known integrations, and the new ones as long as there is room. */
function withNew(known: readonly string[], integrationIds: Iterable<string>): string[] {
  return [...new Set([...known, ...integrationIds])].slice(0, maxIntegrations)
}
