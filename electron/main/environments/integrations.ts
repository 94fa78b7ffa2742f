import { builtInMode } from './built-in'
import { sizeIssues } from './keep'
import type { ProfileStore } from './profile-store'
import type { Registry } from './registry'
import type { Turns } from './turns'

const mostIntegrations = 200

/**
 * Adds an integration to the known ones of an environment, newest first: in the index for a built-in one, else in
 * its profile, as far as there is room (see `sizeIssues`).
 */
export async function rememberIntegration(
  registry: Registry,
  profiles: ProfileStore,
  turns: Turns,
  entryLimit: number | null,
  id: string,
  integrationId: string,
): Promise<void> {
  const { integrations, own } = registry
  if (builtInMode(id)) {
    const known = integrations[id] ?? []
    if (known.includes(integrationId)) return
    integrations[id] = [integrationId, ...known].slice(0, mostIntegrations)
    registry.emit()
    await registry.write()
  } else if (!own.get(id)?.profile?.integrations.includes(integrationId)) {
    await turns.take(() => rememberInProfile(registry, profiles, entryLimit, id, integrationId))
  }
}

async function rememberInProfile(
  registry: Registry,
  profiles: ProfileStore,
  entryLimit: number | null,
  id: string,
  integrationId: string,
): Promise<void> {
  const environment = registry.own.get(id)
  const entry = environment?.kept === 'keychain' ? await profiles.read(id) : null
  const stored = entry ? (entry.ok && entry.value?.ok ? entry.value.profile : null) : environment?.profile
  if (!environment || !stored || stored.integrations.includes(integrationId)) return
  const profile = {
    ...stored,
    integrations: [integrationId, ...stored.integrations].slice(0, mostIntegrations),
  }
  if (sizeIssues(profile, entryLimit).length > 0) return
  if (environment.kept === 'keychain' && !(await profiles.write(id, profile)).ok) return
  environment.profile = profile
  registry.emit()
}
