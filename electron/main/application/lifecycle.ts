import type { AppState } from '@contract'
import { app } from 'electron'
import { raceTimeout, sleep } from '../async'
import type { Environments } from '../environments'
import type { Reconciler } from '../features/deployments/reconciler'
import type { Exports } from '../features/export'
import type { Offline } from '../features/offline'
import type { Updates } from '../features/updates'
import type { Watches } from '../features/watches'
import type { Connections } from '../http/connections'
import { report } from '../log'
import type { Drafts } from '../stored/drafts'
import type { FlushOnQuit } from '../stored/flush-on-quit'
import type { Personal } from '../stored/personal'
import type { MainWindow } from '../window'
import { printFirstList } from '../window/first-list'
import { registerForLinks } from '../window/links/app-links'

/** Forgets the connection of each environment that now leads to another service or account. */
export function createForgetOtherServices(
  connections: Pick<Connections, 'forgetService'>,
): (state: Pick<AppState, 'environments'>) => void {
  const services = new Map<string, string>()
  return ({ environments }) => {
    for (const { id, service } of environments) {
      if (service === null) continue
      const before = services.get(id)
      if (before !== undefined && before !== service) connections.forgetService(id)
      services.set(id, service)
    }
  }
}

/** The parts with work behind the first list, and with something to save at the end. */
interface LivingParts {
  drafts: Drafts
  environments: Environments
  exports: Exports
  flushing: { drafts: FlushOnQuit; notes: FlushOnQuit }
  offline: Offline
  personal: Personal
  reconciler: Reconciler
  updates: Updates
  watches: Watches
  window: MainWindow
}

/**
 * How long the page gets to draw the first list before other work starts, in milliseconds: both compete for the
 * processor.
 */
const drawMs = 300

/** Starts the background work after the window's first load. */
export function startAfterLoad(parts: LivingParts, userDataFolder: string): void {
  const { environments, offline, window } = parts
  window.onceLoaded(() => {
    void raceTimeout(offline.start().catch(report), 1_000)
      .then(() => sleep(drawMs))
      .then(() => startBehindFirstList(parts))
    const environmentName = (): string => {
      const { environments: all, currentEnvironmentId } = environments.state()
      return all.find(({ id }) => id === currentEnvironmentId)?.name ?? currentEnvironmentId
    }
    void printFirstList(window.current, environmentName, userDataFolder).catch(report)
  })
}

/** One after the other, since each asks the keychain. */
function startBehindFirstList(parts: LivingParts): void {
  const { drafts, environments, offline, personal, reconciler, updates, watches } = parts
  void raceTimeout(environments.load().then(reconciler.follow).catch(report), 1_000)
    .then(() => drafts.open())
    .then(() => personal.open())
    .then(() => watches.start())
    .catch(report)
    .finally(() => offline.endStart())
  registerForLinks()
  void updates.start().catch(report)
}

/** Saves unsaved data and ends processes before the application quits. Each step has a time limit. */
export function closeOnQuit(parts: LivingParts): void {
  const { drafts, environments, exports, flushing, offline, personal, reconciler, watches } = parts
  let closed = false
  app.on('before-quit', (event) => {
    if (closed) return
    closed = true
    event.preventDefault()
    reconciler.close()
    void Promise.all([
      raceTimeout(
        flushing.drafts.flush().then(() => drafts.flush()),
        6_000,
      ),
      raceTimeout(
        flushing.notes.flush().then(() => personal.idle()),
        6_000,
      ),
      raceTimeout(exports.close(), 2_000),
      raceTimeout(watches.close(), 2_000),
      environments.close(),
    ])
      .catch(report)
      // This ends the process that writes all of it to the disk.
      .then(() => offline.close())
      .catch(report)
      .finally(() => app.quit())
  })
}
