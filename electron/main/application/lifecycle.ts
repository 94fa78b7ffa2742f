import type { AppState } from '@contract'
import { app, powerMonitor } from 'electron'
import { raceTimeout, sleep } from '../async'
import type { Reconciler } from '../features/deployments/attempts/reconciler'
import type { NotedChanges } from '../features/diagnostics/state-log'
import type { Drafts } from '../stored/drafts'
import type { Exports } from '../features/files/export'
import type { FlushOnQuit } from '../stored/drafts/calls'
import type { EnvironmentData } from './environment-data'
import type { Environments } from '../environments'
import { closeToOthers } from '../files/permissions'
import type { Connections } from '../http/connections'
import type { IpcServer } from '../ipc'
import type { Personal } from '../stored/personal'
import type { Journal } from '../stored/journal'
import type { State } from '../stored/state'
import { report } from '../log/report-error'
import type { NoticeBoard } from '../window/notices'
import type { SetAsideNotice } from '../window/notices/set-aside-files'
import type { Offline } from '../features/offline'
import type { Updates } from '../features/updates'
import type { Watches } from '../features/watches'
import type { MainWindow } from '../window'
import { registerForLinks } from '../window/links/app-links'
import type { RememberedFiles } from '../window/dialogs/unfinished-files'
import { printFirstList } from '../window/first-list'

/** The parts of the application with a lifecycle. */
interface LifecycleParts {
  appState: () => AppState
  connections: Connections
  drafts: Drafts
  environmentData: EnvironmentData
  environments: Environments
  exports: Exports
  flushNotes: FlushOnQuit
  flushOnQuit: FlushOnQuit
  ipc: IpcServer
  journal: Journal
  notices: NoticeBoard
  offline: Offline
  personal: Personal
  reconciler: Reconciler
  setAside: SetAsideNotice
  state: State
  stateLog: NotedChanges
  unfinished: RememberedFiles
  updates: Updates
  userDataFolder: string
  watches: Watches
  window: MainWindow
}

/** Reports every change of the environments to the other parts, and uses a keychain that is available again. */
export function followEnvironments(parts: LifecycleParts): void {
  const { connections, environments, ipc, offline, reconciler } = parts
  let keychain = environments.state().keychain.state
  const forgetOtherServices = createForgetOtherServices(connections)
  forgetOtherServices(environments.state())
  environments.onChange((state) => {
    forgetOtherServices(state)
    if (state.keychain.state === 'available' && keychain !== 'available') useKeychainAgain(parts)
    keychain = state.keychain.state
    parts.stateLog.environments(state)
    ipc.keepEnvironment(state.currentEnvironmentId)
    offline.noteEnvironment(connections.of(state.currentEnvironmentId))
    reconciler.noteEnvironment()
    parts.watches.noteEnvironment()
    ipc.send('app.state', parts.appState())
  })
}

/** Creates a listener that forgets the connection of each environment that now leads to another service or account. */
function createForgetOtherServices(
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

function useKeychainAgain({ environmentData, offline, state }: LifecycleParts): void {
  void state
    .unlock(false)
    .then(() => environmentData.settleLeftOver())
    .catch(report)
  void offline.noteKeychain().catch(report)
}

/** Reads and writes what `state.db` couldn't without its key. */
export function readStateAgain({
  drafts,
  environmentData,
  journal,
  personal,
  watches,
}: LifecycleParts): void {
  void drafts
    .retry(false)
    .then(() => personal.open())
    .then(() => watches.noteKeychain())
    .then(() => environmentData.settleLeftOver())
    .catch(report)
  void journal.noteUnlocked().catch(report)
}

/** Reports when the machine wakes. */
export function followPower(reconciler: Reconciler): void {
  powerMonitor.on('resume', reconciler.noteResume)
}

/** Shows a notice when the window had to be reloaded. */
export function followWindow({ notices, window }: LifecycleParts): void {
  window.onBroughtBack((again) => notices.set('window', again ? loadedAgain : null))
}

const loadedAgain =
  'The window stopped working, and Slipway reloaded it. The form has what was typed up to about a second before, without request text that had errors. Activity shows the results of creations in progress.'

/**
 * How long the page gets to draw the first list before other work starts, in milliseconds: both compete for the
 * processor.
 */
const drawMs = 300

/** Starts the background work after the window's first load. */
export function startAfterLoad(parts: LifecycleParts): void {
  const { offline, setAside, window } = parts
  window.onceLoaded(() => {
    // Before any file is read: a part that sets a file aside during this start reports it itself.
    void setAside.open().catch(report)
    void raceTimeout(offline.start().catch(report), 1_000)
      .then(() => sleep(drawMs))
      .then(() => startBehindFirstList(parts))
    void reportFirstList(parts).catch(report)
  })
}

/** One after the other, since each asks the keychain. */
function startBehindFirstList(parts: LifecycleParts): void {
  const { drafts, environmentData, environments, offline, personal, reconciler } = parts
  const { watches } = parts
  void raceTimeout(environments.load().then(reconciler.follow).catch(report), 1_000)
    .then(() => drafts.open())
    .then(() => personal.open())
    .then(() => watches.start())
    .then(() => environmentData.settleLeftOver())
    .catch(report)
    .finally(() => offline.endStart())
  void closeToOthers(parts.userDataFolder).catch(report)
  void parts.unfinished.removeLeftOver().catch(report)
  void registerForLinks(app).catch(report)
  void parts.updates.start().catch(report)
}

function reportFirstList({ environments, userDataFolder, window }: LifecycleParts): Promise<void> {
  return printFirstList({
    window: window.current,
    environmentName: () => {
      const { environments: all, currentEnvironmentId } = environments.state()
      return all.find(({ id }) => id === currentEnvironmentId)?.name ?? currentEnvironmentId
    },
    folder: userDataFolder,
  })
}

/** Saves unsaved data and ends processes before the application quits. Each step has a time limit. */
export function closeOnQuit(parts: LifecycleParts): void {
  const { drafts, environments, exports, flushNotes, flushOnQuit, offline, personal, reconciler, watches } =
    parts
  let closed = false
  app.on('before-quit', (event) => {
    if (closed) return
    closed = true
    event.preventDefault()
    reconciler.close()
    void Promise.all([
      raceTimeout(
        flushOnQuit.flush().then(() => drafts.flush()),
        6_000,
      ),
      raceTimeout(
        flushNotes.flush().then(() => personal.idle()),
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
