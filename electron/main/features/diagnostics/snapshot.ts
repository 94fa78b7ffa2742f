import { release } from 'node:os'
import type { AppState } from '@contract'
import type { SyncState } from '@contract/cache'
import { app } from 'electron'
import { raceTimeout } from '../../async'
import type { Journal } from '../../stored/journal'
import type { Known } from './summary'

/** How long a cache may take to answer, in milliseconds; a slower one is left out. */
const timeoutMs = 3_000

/** Collects what the summary needs. `isOpen` says whether an environment's cache is open: none is opened for this. */
export async function gatherKnown(
  appState: AppState,
  journal: Journal,
  isOpen: (environmentId: string) => boolean,
  syncState: (environmentId: string) => Promise<SyncState>,
): Promise<Known> {
  const requests = appState.environments
    .filter(({ id }) => isOpen(id))
    .map(({ id }) =>
      raceTimeout(
        syncState(id).catch(() => undefined),
        timeoutMs,
      ),
    )
  const states = await Promise.all(requests)
  const { electron = '', chrome = '', node = '' } = process.versions
  return {
    versions: { slipway: app.getVersion(), electron, chrome, node },
    system: {
      platform: process.platform,
      release: release(),
      arch: process.arch,
      packaged: app.isPackaged,
      runningSeconds: Math.round(process.uptime()),
    },
    app: appState,
    journal: await journal.list(1_000).catch(() => null),
    caches: states.filter((state) => state !== undefined),
  }
}
