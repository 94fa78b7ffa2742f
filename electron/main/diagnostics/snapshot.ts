import { release } from 'node:os'
import type { AppState } from '@contract'
import type { SyncState } from '@contract/cache'
import { app } from 'electron'
import type { Journal } from '../journal'
import type { Known } from './summary'

/** A copy that does not answer within this time, in milliseconds, is left out. */
const timeoutMs = 3_000

/** Gathers what the summary is made of. `inUse` says whether an environment's copy is open: none is opened for this. */
export async function gatherKnown(
  appState: AppState,
  journal: Journal,
  inUse: (environmentId: string) => boolean,
  syncState: (environmentId: string) => Promise<SyncState>,
): Promise<Known> {
  const asked = appState.environments
    .filter(({ id }) => inUse(id))
    .map(({ id }) => inTime(syncState(id).catch(() => null)))
  const copies = await Promise.all(asked)
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
    copies: copies.filter((state): state is SyncState => state !== null),
  }
}

async function inTime<T>(asked: Promise<T | null>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), timeoutMs)))
  return Promise.race([asked, late]).finally(() => clearTimeout(timer))
}
