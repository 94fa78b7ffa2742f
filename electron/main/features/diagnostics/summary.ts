import type { AppState, Environment, JournalEntry } from '@contract'
import type { SyncState } from '@contract/cache'

/** The input of a summary. */
export interface Known {
  versions: Record<'slipway' | 'electron' | 'chrome' | 'node', string>
  system: { platform: string; release: string; arch: string; packaged: boolean; runningSeconds: number }
  app: AppState
  /** The newest entries of the journal; null if it can't be read. */
  journal: JournalEntry[] | null
  /** The caches that are open and answered in time. */
  caches: SyncState[]
}

/**
 * The summary of the application in a diagnostics bundle: settings without secrets, states and counts. Each member is
 * chosen here, so that nothing is included by accident: no name of an environment or deployment, no path, no header
 * value.
 */
export function summarise({ versions, system, app, journal, caches }: Known): object {
  const { keychain, connection, environments, currentEnvironmentId } = app
  return {
    versions,
    system,
    keychain: keychain.state,
    connection: { environment: connection.environmentId, state: connection.state, at: connection.at },
    environments: environments.map((environment) => ({
      id: environment.id,
      current: environment.id === currentEnvironmentId,
      ...settingsOf(environment),
    })),
    journal: journal && countsOf(journal),
    copies: caches.map(({ environmentId, progress, last, cache, storage, intervalMinutes, problem }) => ({
      environment: environmentId,
      storage,
      intervalMinutes,
      hasProblem: problem !== null,
      deployments: cache?.deployments ?? null,
      gone: cache?.gone ?? null,
      synchronisedAt: cache?.synchronisedAt ?? null,
      running: progress && { phase: progress.phase, pass: progress.pass, covered: progress.covered },
      last: last && { at: last.at, end: last.end, code: last.failure?.code ?? null, covered: last.covered },
    })),
  }
}

function settingsOf({ storage, profile, problem }: Environment): object {
  if (profile === null) return { storage, readable: false, hasProblem: problem !== null }
  const url = profile.baseUrl === null ? null : new URL(profile.baseUrl)
  return {
    storage,
    readable: true,
    scheme: url?.protocol.replace(':', '') ?? null,
    host: url?.host ?? null,
    hasPathPrefix: url !== null && url.pathname !== '/',
    mode: profile.mode,
    protected: profile.protected,
    readOnly: profile.readOnly,
    headerNames: profile.headerNames,
    certificates: profile.trust.kind,
    proxy: profile.proxy.mode,
    integrations: profile.integrations.length,
  }
}

/** Counts entries by kind and result. */
function countsOf(journal: readonly JournalEntry[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const entry of journal) {
    const how = entry.kind === 'creation' ? entry.state : (entry.failure?.code ?? 'without a failure')
    const what = `${entry.kind} ${how}`
    counts[what] = (counts[what] ?? 0) + 1
  }
  return counts
}
