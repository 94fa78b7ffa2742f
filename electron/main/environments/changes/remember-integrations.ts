import { builtInMode } from '../built-in'
import { sizeIssues } from './persist-profile'
import type { ProfileStore } from '../profile/store'
import type { Registry } from '../list'
import type { Turns } from './timed-queue'

const mostIntegrations = 200

/**
 * Makes what adds integrations to the known ones of environments: in the index for a built-in one, else in its profile.
 *
 * A page can list as many integrations as it likes. So one write is under way at a time, for all environments, and the
 * next one of an environment takes in all that came meanwhile: who saves an environment waits for one at most. Those that
 * are known stay, and a new one goes behind them, as far as there is room (see `sizeIssues`).
 *
 * @returns remembers an integration of an environment; resolves when all that came so far was taken in
 */
export function createIntegrations(
  registry: Registry,
  profiles: ProfileStore,
  turns: Turns,
  entryLimit: number | null,
): (id: string, integrationId: string) => Promise<void> {
  const waiting = new Map<string, Set<string>>()
  let work: Promise<void> | null = null

  async function takeIn(): Promise<void> {
    try {
      // One that comes again meanwhile is at the end of the map.
      for (const [id, integrationIds] of waiting) {
        waiting.delete(id)
        if (builtInMode(id)) await rememberInIndex(id, integrationIds)
        else await turns.take(() => rememberInProfile(id, integrationIds))
      }
    } finally {
      work = null
    }
  }

  async function rememberInIndex(id: string, integrationIds: Iterable<string>): Promise<void> {
    registry.integrations[id] = withNew(knownTo(id), integrationIds)
    registry.emit()
    await registry.write()
  }

  async function rememberInProfile(id: string, integrationIds: Iterable<string>): Promise<void> {
    const environment = registry.own.get(id)
    const entry = environment?.kept === 'keychain' ? await profiles.read(id) : null
    const stored = entry ? (entry.ok && entry.value?.ok ? entry.value.profile : null) : environment?.profile
    if (!environment || !stored) return
    let profile = stored
    for (const integrationId of integrationIds) {
      const next = { ...profile, integrations: withNew(profile.integrations, [integrationId]) }
      if (sizeIssues(next, entryLimit).length > 0) break
      profile = next
    }
    if (profile.integrations.length === stored.integrations.length) return
    if (environment.kept === 'keychain' && !(await profiles.write(id, profile)).ok) return
    environment.profile = profile
    registry.emit()
  }

  const knownTo = (id: string): readonly string[] =>
    (builtInMode(id) ? registry.integrations[id] : registry.own.get(id)?.profile?.integrations) ?? []

  return (id, integrationId) => {
    const known = knownTo(id)
    const news = waiting.get(id) ?? new Set()
    if (!known.includes(integrationId) && known.length + news.size < mostIntegrations) {
      waiting.set(id, news.add(integrationId))
      work ??= takeIn()
    }
    return work ?? Promise.resolve()
  }
}

/** Those that are known, and behind them the new ones for which there is room. */
function withNew(known: readonly string[], integrationIds: Iterable<string>): string[] {
  return [...new Set([...known, ...integrationIds])].slice(0, mostIntegrations)
}
