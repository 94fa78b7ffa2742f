/** Creates the parts of the application; loaded after the window's first paint, so that it opens sooner. */
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { type AppState, type EnvironmentMode, type Outcome, succeed } from '@contract'
import { app, clipboard, powerMonitor } from 'electron'
import { raceTimeout, sleep } from './async'
import { createEnvironments, type Environments } from './environments'
import { accountIdentity, accountIn, existsIn, nameIn, secretsPlaceOf, serviceIn } from './environments/known'
import { createBoard } from './features/board'
import { createComparison } from './features/comparison'
import { createCreation, createSentTo } from './features/deployments/creation'
import { createDeployments } from './features/deployments/list'
import { createReconciler } from './features/deployments/reconciler'
import { createDiagnostics, noteChanges } from './features/diagnostics'
import { createEnvironmentFiles } from './features/environment-files'
import { createExports } from './features/export'
import { createLife } from './features/life'
import { createFailedRevisions } from './features/life/revisions'
import { createOffersReader } from './features/life/offers'
import { createOffline } from './features/offline'
import { createOverview } from './features/overview'
import { createRepositories } from './features/repositories'
import { createRequestFiles } from './features/request-files'
import { createUpdates } from './features/updates'
import { createWatches } from './features/watches'
import { ownerOnly } from './files'
import { Connections, createHttpClient } from './http'
import { readAuthorityFile, readChosenAuthority } from './http/certificates'
import { isTrialEngine } from './http/trial-engine'
import { createRefusals } from './http/trust'
import { createIpcServer, type Handlers, noteFailures, RunningCalls } from './ipc'
import type { WaitingCalls } from './ipc/waiting'
import { log, report } from './log'
import { logFolder } from './log/watch-application'
import { readInThreads } from './processes/answers'
import {
  begunAnewNotice,
  type BuiltInServiceOptions,
  createBuiltInService,
} from './processes/built-in-service'
import { createKeychain, createFileKeys, keychainServiceName } from './processes/keychain'
import { createStoreProcess, type ForkedStore } from './processes/store-process'
import { openChoices } from './stored/choices'
import { createDrafts } from './stored/drafts'
import { FlushOnQuit } from './stored/flush-on-quit'
import { createJournal } from './stored/journal'
import { createPersonal } from './stored/personal'
import { createAgents } from './stored/personal/agents'
import { createAnnotations } from './stored/personal/annotations'
import { createRemembered } from './stored/personal/remembered'
import { addressFinder, createViews } from './stored/personal/views'
import { createState } from './stored/state'
import type { MainWindow } from './window'
import { fileDialogsIn, showFile } from './window/file-dialogs'
import { printFirstList } from './window/first-list'
import { createOpenLink } from './window/links'
import { type AppLinks, registerForLinks } from './window/links/app-links'
import { type AppMenu, createMenu, followAppCommands, type MenuState } from './window/menu'
import { createNotices } from './window/notices'
import { notify } from './window/notification'
import { questionsIn } from './window/questions'

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
  // The system may have created it open to others.
  if (process.platform !== 'win32') chmodSync(userDataFolder, ownerOnly.folder)
  const inFolder = (name: string): string => join(userDataFolder, name)
  const dialogs = fileDialogsIn(window.showDialog)

  const stateLog = noteChanges(log)
  const running = new RunningCalls()
  const ipc = createIpcServer(window.current, running, () => {
    for (const one of Object.values(flushing)) one.forgetForm()
  })
  const notices = createNotices((now) => {
    for (const { about, text } of now) stateLog.notice(about, text)
    ipc.send('app.notices', now)
  })

  const accountOf = (environmentId: string) => accountIn(environments)(environmentId)
  const connections = new Connections(accountOf, (connection) => {
    if (connection.environmentId !== environments.state().currentEnvironmentId) return
    ipc.send('connection.changed', connection)
    stateLog.connection(connection)
    offline.noteConnection(connection)
    reconciler.noteConnection(connection)
  })
  const refusals = createRefusals()
  const http = createHttpClient(refusals, (target, outcome) => {
    const { environmentId } = target
    if (environmentId !== null) connections.note(environmentId, accountIdentity(target), outcome)
  })
  const store = createStoreProcess({ fork: forks.store })
  const systemKeychain = createKeychain({
    process: store,
    service: keychainServiceName(userDataFolder, join(app.getPath('appData'), app.getName())),
  })
  const begunAnew = new Map<EnvironmentMode, string>()
  const environments: Environments = createEnvironments({
    keychain: systemKeychain,
    builtIn: createBuiltInService({
      fork: forks.builtInService,
      folder: inFolder('built-in-service'),
      begunAnew: (mode, aside) => {
        begunAnew.set(mode, aside)
        notices.set('sandbox', begunAnewNotice(begunAnew))
      },
    }),
    http,
    refusals,
    ask: questionsIn(window.showDialog),
    userDataFolder,
    async forget(id) {
      connections.forget(id)
      drafts.forget(id)
      await drafts.settle()
      await personal.forget(id)
      await watches.forget(id)
      await synchronisation.forget(id).catch(report)
      await cache.remove(id).catch(report)
    },
    setAside: notices.setAside,
  })
  const exists = existsIn(environments)
  const appState = (): AppState => {
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

  const keys = createFileKeys(systemKeychain)
  const state = createState({
    file: inFolder('state.db'),
    process: store,
    keys,
    notice: (text) => notices.set('state', text),
    // What couldn't be read or written without the key.
    unlockedLate() {
      void drafts
        .retry(false)
        .then(() => personal.open())
        .then(() => watches.noteKeychain())
        .catch(report)
      void journal.noteUnlocked().catch(report)
    },
  })
  const journal = createJournal({
    state,
    changed: (entry) => ipc.send('journal.changed', entry),
    report,
    notice: (text) => notices.set('journal', text),
    readLate: () => reconciler.noteJournal(),
    sentTo: createSentTo(environments),
  })
  const drafts = createDrafts({
    state,
    placeOf(environmentId) {
      const to = environments.destination(environmentId)
      return to && secretsPlaceOf(to)
    },
    changed: (persistence) => ipc.send('drafts.changed', persistence),
    report,
  })
  const personal = createPersonal({
    state,
    exists,
    mayAsk: () => ['available', 'unknown'].includes(environments.state().keychain.state),
    changed: () => ipc.send('personal.changed', null),
    report,
  })
  const flushBy = (event: 'drafts.flush' | 'annotations.flush'): FlushOnQuit =>
    new FlushOnQuit(() => ipc.send(event, null))
  const flushing = { drafts: flushBy('drafts.flush'), notes: flushBy('annotations.flush') }

  const offline = createOffline({
    process: store,
    folder: inFolder('cache'),
    setAside: (file) => notices.setAside(`cache/${file}`),
    keys,
    environments,
    http,
    mayAnswer: (environmentId) => connections.mayAnswer(environmentId),
    isShown: window.isShown,
    journal,
    changed: (syncState) => {
      stateLog.synchronisation(syncState)
      void watches.noteSynchronisation(syncState).catch(report)
      ipc.send('sync.changed', syncState)
    },
    report,
  })
  const { cache, synchronisation } = offline
  const offers = createOffersReader({ http, personal, environments })
  const failures = createFailedRevisions(environments, http, offers)
  const watches = createWatches({
    failures,
    journal,
    state,
    environments,
    cache,
    http: offline.http,
    stateOf: (environmentId) => connections.of(environmentId).state,
    isShown: window.isShown,
    notify: (notification, noticeId) => notify(notification, () => ipc.send('watches.shown', { noticeId })),
    changed: (watched) => ipc.send('watches.changed', watched),
    report,
  })
  const updates = createUpdates({
    source: UPDATES,
    file: inFolder('updates.json'),
    version: app.getVersion(),
    http,
    log,
    changed: (updated) => ipc.send('updates.changed', updated),
    setAside: notices.setAside,
    report,
  })
  const choices = openChoices(inFolder('choices.json'), exists, notices.setAside)
  let menu: AppMenu | null = null

  const serviceClient = { environments, http: offline.http, journal, report }
  const reconciler = createReconciler(serviceClient)
  const diagnostics = createDiagnostics({
    appState,
    journal,
    syncStateOf: (id) => (cache.storage(id) === null ? null : synchronisation.state(id)),
    log,
    logFolder: logFolder(),
    askWhere: dialogs.askWhere,
  })
  const deployments = createDeployments(serviceClient)
  const exports = createExports({
    showFile,
    page: deployments['deployments.page'],
    cache,
    askWhere: dialogs.askWhere,
    nameOf: nameIn(environments),
    serviceOf: serviceIn(environments),
    progress: (progress) => ipc.send('export.progress', progress),
  })
  const agents = createAgents(personal, environments)
  const served = offline.serve({
    ...deployments,
    ...createRepositories(environments, offline.http, report),
  })
  const overview = createOverview({
    allCaches: offline.allCaches,
    journal,
    targetOf: (environmentId) => environments.destination(environmentId)?.target ?? null,
    connectionOf: (environmentId) => connections.of(environmentId),
    problemOf: synchronisation.problemOf,
  })
  const annotations = createAnnotations(personal, environments)
  const views = createViews({
    personal,
    exists,
    confidential: () =>
      addressFinder(environments.state().environments.flatMap(({ profile }) => profile?.baseUrl ?? [])),
    ...dialogs,
  })
  // A question of its own: declining a link doesn't hold back other questions.
  const openLink = createOpenLink(questionsIn(window.showDialog))
  const handlers: Handlers = {
    ...served,
    'deployments.create': createCreation({ ...serviceClient, reconciler, drafts }),
    'deployments.lookUp': reconciler.lookUp,
    'deployments.claim': reconciler.claim,
    'deployments.dismiss': reconciler.dismiss,
    ...exports.answers,
    ...createLife({ environments, http, journal, offers, failures }, dialogs.askWhere),
    ...overview,
    ...createComparison(offline.allCaches),
    ...createBoard({ allCaches: offline.allCaches, agents, environments }),
    ...agents.answers,
    ...createRemembered(personal, environments),
    ...annotations,
    ...views,
    ...watches.answers,
    ...createRequestFiles(dialogs),
    ...diagnostics,
    ...createEnvironmentFiles(dialogs, () => environments.state().environments),
    'app.state': () => succeed(appState()),
    'app.notices': () => succeed(notices.list()),
    'environments.save': environments.save,
    'environments.remove': ({ id, confirmedName }) => environments.remove(id, confirmedName),
    'environments.select': ({ id }) => environments.select(id),
    'environments.reorder': ({ ids }) => environments.reorder(ids),
    'environments.check': environments.check,
    'environments.retryKeychain': environments.retryKeychain,
    'environments.trust': ({ id, refusalId }) => environments.trust(id, refusalId),
    'environments.readAuthority': ({ pem }) => readAuthorityFile(Buffer.from(pem)),
    'environments.chooseAuthority': async () => {
      const path = await dialogs.askWhich('authority')
      return path === null ? succeed(null) : readChosenAuthority(path)
    },
    'drafts.list': async ({ environmentId }) => {
      // Only the form lists drafts, so from now on it can be asked for unsaved ones.
      flushing.drafts.noteForm()
      return succeed(await drafts.list(environmentId))
    },
    'drafts.save': ({ environmentId, draft, current }) => drafts.save(environmentId, draft, current),
    'drafts.remove': ({ environmentId, id }) => succeed(drafts.remove(environmentId, id)),
    'drafts.saveTemplate': ({ environmentId, template }) => drafts.saveTemplate(environmentId, template),
    'drafts.removeTemplate': ({ environmentId, id }) => succeed(drafts.removeTemplate(environmentId, id)),
    'drafts.retry': async () => succeed(await drafts.retry(true)),
    'drafts.flushed': () => done(flushing.drafts.noteFlushed()),
    'annotations.list': (input, signal) => {
      // From now on the page may have a note to save.
      flushing.notes.noteForm()
      return annotations['annotations.list'](input, signal)
    },
    'annotations.flushed': () => done(flushing.notes.noteFlushed()),
    'cache.page': ({ environmentId, request }) => cache.askText(environmentId, 'page', { request }),
    'cache.statuses': ({ environmentId }) => cache.ask(environmentId, 'statuses', {}),
    'cache.cleanUp': ({ environmentId }) => synchronisation.cleanUp(environmentId),
    'history.deployment': ({ environmentId, request }) =>
      cache.askText(environmentId, 'history', { request }),
    'history.changes': ({ environmentId, request }) => cache.askText(environmentId, 'changes', { request }),
    'history.statuses': ({ environmentId, request }) =>
      cache.askText(environmentId, 'status-history', { request }),
    'history.earlier': ({ environmentId, request }) => cache.askText(environmentId, 'earlier', { request }),
    'history.state': ({ environmentId }) => cache.ask(environmentId, 'history-state', {}),
    'history.keep': ({ environmentId, days }) => cache.ask(environmentId, 'keep-history', { days }),
    'sync.state': async ({ environmentId }) => succeed(await synchronisation.state(environmentId)),
    'sync.start': ({ environmentId }) => synchronisation.start(environmentId),
    'sync.cancel': ({ environmentId }) => synchronisation.cancel(environmentId),
    'sync.interval': ({ environmentId, minutes }) => synchronisation.setInterval(environmentId, minutes),
    'journal.list': async ({ limit, name, filter }) => succeed(await journal.list(limit, name, filter)),
    'choices.read': () => succeed(choices.read()),
    'choices.save': (input) => done(choices.save(input).finally(() => menu?.update())),
    'clipboard.write': ({ text }) => done(clipboard.writeText(text)),
    'appLinks.take': () => succeed(links.take()),
    'links.open': ({ url }) => openLink(url),
    'updates.state': () => succeed(updates.state()),
    'updates.choose': ({ isOn }) => done(updates.choose(isOn)),
    'updates.dismiss': ({ version }) => done(updates.dismiss(version)),
    'window.notify': (input) => notify(input),
  }
  ipc.answer(calls, noteFailures(handlers, { environments, journal, reconciler, report }), report)
  links.onArrival(() => {
    window.show()
    ipc.send('appLinks.arrived', null)
  })

  let keychain = environments.state().keychain.state
  environments.onChange((now) => {
    if (now.keychain.state === 'available' && keychain !== 'available') {
      void state.unlock(false).catch(report)
      void offline.noteKeychain().catch(report)
    }
    keychain = now.keychain.state
    stateLog.environments(now)
    running.keepEnvironment(now.currentEnvironmentId)
    offline.noteEnvironment(connections.of(now.currentEnvironmentId))
    reconciler.noteEnvironment()
    watches.noteEnvironment()
    ipc.send('app.state', appState())
  })
  powerMonitor.on('resume', reconciler.noteResume)
  window.onBroughtBack((again) => notices.set('window', again ? loadedAgain : null))

  /** One after the other, since each asks the keychain. */
  const startBehindFirstList = (): void => {
    void raceTimeout(environments.load().then(reconciler.follow).catch(report), 1_000)
      .then(() => drafts.open())
      .then(() => personal.open())
      .then(() => watches.start())
      .catch(report)
      .finally(() => offline.endStart())
    registerForLinks()
    void updates.start().catch(report)
  }
  window.onceLoaded(() => {
    void raceTimeout(offline.start().catch(report), 1_000)
      .then(() => sleep(drawMs))
      .then(startBehindFirstList)
    const environmentName = (): string =>
      nameIn(environments)(environments.state().currentEnvironmentId) ?? 'no environment'
    void printFirstList(window.current, environmentName, userDataFolder).catch(report)
  })
  let closed = false
  // Saves unsaved data and ends processes before the application quits. Each step has a time limit.
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
  // After the calls that wait are answered.
  setImmediate(() => {
    menu = createMenu(() => menuStateOf(environments, choices.shortcuts()), {
      send: (command) => ipc.send('window.command', command),
      openLogFolder: () =>
        void diagnostics['diagnostics.openLogFolder']({}, new AbortController().signal).catch(report),
    })
    environments.onChange(menu.update)
    followAppCommands(window.current(), (command) => ipc.send('window.command', command))
  })
}

/** The answer of a call that gives nothing. */
async function done(work: Promise<void> | void): Promise<Outcome<null>> {
  await work
  return succeed(null)
}

/**
 * How long the page gets to draw the first list before other work starts, in milliseconds: both compete for the
 * processor.
 */
const drawMs = 300

const loadedAgain =
  'The window stopped working, and Slipway reloaded it. The form has what was typed up to about a second before, without request text that had errors. Activity shows the results of creations in progress.'

function menuStateOf(environments: Environments, shortcuts: MenuState['shortcuts']): MenuState {
  const { environments: all, currentEnvironmentId } = environments.state()
  return {
    environments: all.map(({ id, name }) => ({ id, name })),
    currentEnvironmentId,
    readOnly: all.find(({ id }) => id === currentEnvironmentId)?.profile?.readOnly ?? false,
    shortcuts,
  }
}
