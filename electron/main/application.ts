/** Creates the parts of the application; loaded after the window's first paint, so that it opens sooner. */
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { type AppState, type Connection, succeed } from '@contract'
import { app } from 'electron'
import { readInThreads } from './processes/answers'
import {
  followEnvironments,
  followPower,
  followWindow,
  readStateAgain,
  startAfterLoad,
  closeOnQuit,
} from './application/lifecycle'
import { createNetwork, monotonic, type Network, throttleConnections } from './application/network'
import { createOpenKeychain, createSandbox, openState } from './application/storage'
import type { BuiltInServiceOptions } from './processes/built-in-service'
import { createFileKeys } from './processes/keychain/file-keys'
import { createStoreProcess, type ForkedStore } from './processes/store-process'
import { createBoard } from './features/board'
import { createCachedDeployments } from './features/board/cached-deployments'
import { type ChoicesFile, openChoices } from './stored/choices'
import { chooseAuthorityFile } from './http/authority-file'
import { createComparison } from './features/comparison'
import { createDeployments } from './features/deployments'
import { createSentTo } from './features/deployments/attempts/known'
import { createReconciler } from './features/deployments/attempts/reconciler'
import { createDiagnostics, type Diagnostics } from './features/diagnostics'
import { gatherKnown } from './features/diagnostics/snapshot'
import { noteChanges } from './features/diagnostics/state-log'
import { createDraftCalls, createFlushOnQuit, type FlushOnQuit } from './stored/drafts/calls'
import { confirmSecretsBy } from './stored/drafts/confirm-secrets'
import { createExports } from './features/files/export'
import { createEnvironmentData } from './application/environment-data'
import { createEnvironmentFiles } from './features/files/environment-file'
import { createEnvironments, type Environments } from './environments'
import { confirmTrustBy } from './environments/changes/confirm-trust'
import { existsIn, isWhereItLeads, nameIn, serviceIn } from './environments/lookups'
import { isTrialEngine } from './http/trial-engine'
import { createIpcServer } from './ipc'
import { createHandlers } from './ipc/handlers'
import { loggedCalls } from './ipc/logged'
import type { WaitingCalls } from './ipc/waiting-calls'
import { createDrafts } from './stored/drafts'
import { createJournal, type Journal } from './stored/journal'
import { createPersonal } from './stored/personal'
import { log } from './log'
import { report } from './log/report-error'
import { logFolder } from './log/watch-application'
import { createNotices } from './window/notices'
import { createSetAsideNotice, filesSetAside } from './window/notices/set-aside-files'
import { createOffline, type Offline } from './features/offline'
import { createLife } from './features/life'
import { createOverview } from './features/overview'
import { createAgents } from './stored/personal/agents'
import { createAnnotations } from './stored/personal/annotations'
import { createPersonalCalls } from './stored/personal/calls'
import { createIgnoredFields } from './stored/personal/ignored-fields'
import { addressFinder } from './stored/personal/has-address'
import { createLastFilters } from './stored/personal/last-filters'
import { createRecents } from './stored/personal/recents'
import { createViews } from './stored/personal/views'
import { createRepositories } from './features/repositories'
import { createRequestFiles } from './features/files/request-file'
import { createUpdates } from './features/updates'
import { createFailedRevisions } from './features/life/failed'
import { createOffersReader } from './features/life/offers'
import { createWatches } from './features/watches'
import { openStoredWatches } from './features/watches/watched-memory'
import { createOwnCreations } from './features/watches/own-creations'
import type { MainWindow } from './window'
import {
  askWhereDiagnostics,
  askWhereExport,
  askWhereLog,
  environmentFileDialogs,
  requestFileDialogs,
  showFile,
  showFolder,
  viewsFileDialogs,
} from './window/dialogs/file-dialogs'
import { questionsIn } from './window/dialogs/questions'
import { rememberUnfinished } from './window/dialogs/unfinished-files'
import { followAppCommands } from './window/menu/app-commands'
import type { AppLinks } from './window/links/app-links'
import { createOpenLink } from './window/links'
import { isShown } from './window/is-shown'
import { notify } from './window/notification'
import { type AppMenu, createMenu } from './window/menu'
import type { MenuState } from './window/menu/menu-template'

/** Starts the utility processes and the thread. */
export interface Forks {
  store: () => ForkedStore
  /** The thread that reads large answers. */
  answers: () => Worker
  builtInService: BuiltInServiceOptions['fork']
}

/**
 * @param calls the calls that the window has made and will make
 * @param links the links that the system has handed over and will hand over
 */
export function startApplication(
  window: MainWindow,
  calls: WaitingCalls,
  links: AppLinks,
  forks: Forks,
): void {
  readInThreads(forks.answers)
  const userDataFolder = app.getPath('userData')
  const ask = questionsIn(window.showDialog)

  const stateLog = noteChanges(log)
  const ipc = createIpcServer(window.current, report, loggedCalls(log))
  const notices = createNotices((now) => {
    for (const { about, text } of now) stateLog.notice(about, text)
    ipc.send('app.notices', now)
  })
  const setAside = createSetAsideNotice(userDataFolder, (text) => notices.set('set-aside', text))

  const sendConnection = throttleConnections((connection) => ipc.send('connection.changed', connection))
  const network = createNetwork(
    (connection: Connection) => {
      if (connection.environmentId !== environments.state().currentEnvironmentId) return
      sendConnection(connection)
      stateLog.connection(connection)
      offline.noteConnection(connection)
      reconciler.noteConnection(connection)
    },
    (target) => isWhereItLeads(environments)(target),
  )
  const { connections, http, refusals } = network
  const store = createStoreProcess({ fork: forks.store })
  const openKeychain = createOpenKeychain(store, {
    userData: userDataFolder,
    default: join(app.getPath('appData'), app.getName()),
  })
  const environments = createEnvironments({
    keychain: openKeychain(),
    builtIn: createSandbox(forks.builtInService, userDataFolder, notices),
    http,
    refusals,
    confirmTrust: confirmTrustBy(ask),
    userDataFolder,
    forget: (id) => {
      connections.forget(id)
      return environmentData.forget(id)
    },
    report,
    notice: (text) => notices.set('environments', text),
  })
  const appState = (): AppState => stateOf(environments, network)

  const keys = createFileKeys(openKeychain())
  const state = openState(userDataFolder, store, keys, notices, () => readStateAgain(parts))
  const own = createOwnCreations(monotonic)
  const journal = createJournal({
    state,
    changed: (entry) => {
      own.note(entry)
      ipc.send('journal.changed', entry)
    },
    report,
    notice: (text) => notices.set('journal', text),
    readLate: () => reconciler.noteJournal(),
    sentTo: createSentTo(environments),
  })
  const drafts = createDrafts({
    state,
    placeOf: environments.secretsPlace,
    confirm: confirmSecretsBy(ask),
    changed: (persistence) => ipc.send('drafts.changed', persistence),
    report,
  })
  const personal = createPersonal({
    state,
    mayAsk: () => ['available', 'unknown'].includes(environments.state().keychain.state),
    changed: () => ipc.send('personal.changed', null),
    report,
  })
  const flushing = (event: 'drafts.flush' | 'annotations.flush'): FlushOnQuit =>
    createFlushOnQuit(() => {
      ipc.send(event, null)
      return window.current() !== null
    })
  const flushOnQuit = flushing('drafts.flush')
  const flushNotes = flushing('annotations.flush')

  const offline = createOffline({
    process: store,
    folder: join(userDataFolder, 'cache'),
    setAside: (file) => void setAside.add(`cache/${file}`).catch(report),
    keys,
    environments,
    http,
    mayAnswer: (environmentId) => connections.mayAnswer(environmentId),
    window: window.current,
    journal,
    changed: (state) => {
      stateLog.synchronisation(state)
      void watches.noteSynchronisation(state).catch(report)
      ipc.send('sync.changed', state)
    },
    report,
  })
  const { cache, synchronisation } = offline
  const offers = createOffersReader({ http, personal, environments })
  const failures = createFailedRevisions(environments, http, offers)
  const watches = createWatches({
    failures,
    stored: openStoredWatches(state),
    environments,
    cache,
    http: offline.http,
    stateOf: (environmentId) => connections.of(environmentId).state,
    isShown: () => isShown(window.current()),
    isOwn: own.has,
    notify: (notification, noticeId) => notify(notification, () => ipc.send('watches.shown', { noticeId })),
    changed: (state) => ipc.send('watches.changed', state),
    monotonic,
    report,
  })
  const updates = createUpdates({
    source: UPDATES,
    file: join(userDataFolder, 'updates.json'),
    version: app.getVersion(),
    http,
    log,
    changed: (state) => ipc.send('updates.changed', state),
    report,
  })
  const choices = openChoices(join(userDataFolder, 'choices.json'), existsIn(environments))
  let menu: AppMenu | null = null
  const environmentData = createEnvironmentData({
    filesSetAside: () => filesSetAside(userDataFolder),
    environments,
    drafts,
    personal,
    cache,
    synchronisation,
    watches,
    report,
  })

  const serviceClient = { environments, http: offline.http, journal, report }
  const reconciler = createReconciler(serviceClient)
  const diagnostics = createWindowDiagnostics(window, appState, journal, offline)
  const deployments = createDeployments({ ...serviceClient, reconciler, drafts })
  const unfinished = rememberUnfinished(join(userDataFolder, 'unfinished'))
  const exports = createExports({
    unfinished,
    showFile,
    page: deployments.page,
    cache,
    askWhere: askWhereExport(window.showDialog),
    nameOf: nameIn(environments),
    serviceOf: serviceIn(environments),
    progress: (progress) => ipc.send('export.progress', progress),
  })
  const agents = createAgents({ personal, environments, cached: createCachedDeployments(cache) })
  const handlers = createHandlers({
    appState,
    notices,
    environments,
    environmentFiles: createEnvironmentFiles({
      ...environmentFileDialogs(window.showDialog),
      list: () => environments.state().environments,
    }),
    ...offline.serve({
      deployments,
      repositories: createRepositories(environments, offline.http, report),
    }),
    life: createLife({ environments, http, journal, offers, failures }, askWhereLog(window.showDialog)),
    journal,
    overview: createOverview({
      allCaches: offline.allCaches,
      journal,
      targetOf: (environmentId) => environments.destination(environmentId)?.target ?? null,
      connectionOf: (environmentId) => connections.of(environmentId),
      problemOf: offline.synchronisation.problemOf,
    }),
    board: createBoard({ allCaches: offline.allCaches, agents, environments }),
    personal: createPersonalCalls(
      {
        annotations: createAnnotations(personal, environments),
        views: createViews({
          personal,
          exists: existsIn(environments),
          confidential: () => addressFinder(baseUrlsOf(environments)),
          ...viewsFileDialogs(window.showDialog),
        }),
        lastFilters: createLastFilters({ personal, environments }),
        recents: createRecents(personal, environments),
        agents,
      },
      flushNotes,
    ),
    comparison: createComparison(offline.allCaches, createIgnoredFields(personal)),
    drafts: createDraftCalls(drafts, flushOnQuit),
    cache,
    choices: {
      read: choices.read,
      save: (chosen) => choices.save(chosen).finally(() => menu?.update()),
    },
    diagnostics,
    requestFiles: createRequestFiles(requestFileDialogs(window.showDialog)),
    exports,
    chooseAuthority: async () => (await window.showDialog(chooseAuthorityFile)) ?? succeed(null),
    synchronisation,
    updates,
    watches: watches.calls,
    takeLink: links.take,
    // A question of its own: declining a link doesn't hold back other questions.
    openLink: createOpenLink(questionsIn(window.showDialog)),
    isQuitting: () => reconciler.closed() !== null,
    report,
  })
  ipc.answer(calls, handlers)
  links.onArrival(() => {
    window.show()
    ipc.send('appLinks.arrived', null)
  })

  const parts = {
    ...{ appState, connections, drafts, environmentData, environments, exports, flushNotes },
    ...{ flushOnQuit, ipc, journal, notices, offline, personal, reconciler, setAside },
    ...{ state, stateLog, unfinished, updates, userDataFolder, watches, window },
  }
  followPower(reconciler)
  followEnvironments(parts)
  followWindow(parts)
  startAfterLoad(parts)
  closeOnQuit(parts)
  // After the calls that wait are answered.
  setImmediate(() => {
    menu = createMenu(() => menuStateOf(environments, choices), {
      send: (command) => ipc.send('window.command', command),
      openLogFolder: () => void diagnostics.openLogFolder().catch(report),
    })
    environments.onChange(menu.update)
    followAppCommands(window.current(), (command) => ipc.send('window.command', command))
  })
}

function menuStateOf(environments: Environments, choices: ChoicesFile): MenuState {
  const { environments: all, currentEnvironmentId } = environments.state()
  return {
    environments: all.map(({ id, name }) => ({ id, name })),
    currentEnvironmentId,
    readOnly: all.find(({ id }) => id === currentEnvironmentId)?.profile?.readOnly ?? false,
    shortcuts: choices.shortcuts(),
  }
}

function stateOf(environments: Environments, { connections }: Network): AppState {
  const state = environments.state()
  const { electron = '', chrome = '', node } = process.versions
  return {
    version: app.getVersion(),
    engine: `Electron ${electron}, Chromium ${chrome}, Node.js ${node}`,
    trialEngine: isTrialEngine(),
    ...state,
    connection: connections.of(state.currentEnvironmentId),
  }
}

const baseUrlsOf = (environments: Environments): string[] =>
  environments.state().environments.flatMap(({ profile }) => profile?.baseUrl ?? [])

function createWindowDiagnostics(
  { showDialog }: MainWindow,
  appState: () => AppState,
  journal: Journal,
  { cache, synchronisation }: Offline,
): Diagnostics {
  return createDiagnostics({
    known: () =>
      gatherKnown(
        appState(),
        journal,
        (id) => cache.storage(id) !== null,
        (id) => synchronisation.state(id),
      ),
    log,
    logFolder: logFolder(),
    askWhere: (suggestedName) => showDialog((before) => askWhereDiagnostics(before, suggestedName)),
    showFolder,
  })
}
