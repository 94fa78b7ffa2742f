/** Wires together what answers the window's calls; loaded after the window's first paint, so that it opens sooner. */
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { type AppState, type Connection, type EnvironmentMode, succeed } from '@contract'
import { app, powerMonitor } from 'electron'
import { readInThreads } from './answers'
import type { CacheProcess } from './cache-client'
import { cacheKeyAccount } from './cache-client/keys'
import { createOffline } from './offline'
import { createEnvironmentData } from './environment-data'
import { begunAnewNotice, type BuiltInServiceOptions, createBuiltInService } from './built-in-service'
import { chooseAuthorityFile } from './certificates'
import { createDiagnostics } from './diagnostics'
import { gatherKnown } from './diagnostics/snapshot'
import { createDeployments } from './deployments'
import { createReconciler } from './deployments/reconcile'
import { createServiceClocks } from './deployments/attempts/service-clocks'
import { createDrafts } from './drafts'
import { confirmSecretsBy } from './drafts/confirm-secrets'
import { createFlushOnQuit } from './drafts/flush-on-quit'
import { createEnvironments } from './environments'
import { confirmTrustBy } from './environments/confirm-trust'
import { tellFirstList } from './window/first-list'
import { closeToOthers } from './files/permissions'
import { deploymentService } from './deployments/service-interface'
import { createHttpClient } from './http'
import { Connections } from './http/connections'
import { loggedClient } from './http/logged'
import { createRefusals } from './http/refusals'
import { removeOldPartitions } from './http/sessions/old-partitions'
import { isTrialEngine } from './http/trial-engine'
import { answerCalls } from './ipc'
import { loggedCalls } from './ipc/logged'
import { createHandlers } from './ipc/handlers'
import type { WaitingCalls } from './ipc/waiting-calls'
import { createJournal } from './journal'
import { JournalFile } from './journal/file/journal-file'
import { LineEncryption } from './journal/file/line-encryption'
import { createKeychain } from './keychain'
import { createFileKeys } from './keychain/file-keys'
import { createCachedKeys, keysNotice } from './keychain/cached-keys'
import type { KeychainProcesses } from './keychain/processes'
import { loggedKeychain } from './keychain/logged'
import type { Keychain } from './keychain/types'
import { keychainServiceName } from './keychain/service-name'
import { log, redactor } from './log'
import { noteChanges } from './diagnostics/state-log'
import { logFolder } from './log/watch-application'
import { createNotices } from './notices'
import { report } from './log/report-error'
import { createRepositories } from './repositories'
import { createRequestFiles } from './request-file'
import { askWhereDiagnostics, requestFileDialogs, showFolder } from './window/dialogs/file-dialogs'
import { encryptedFile } from './files/encrypted-file'
import { createSetAsideNotice, filesSetAside } from './notices/set-aside-files'
import type { MainWindow } from './window'
import { setMenu } from './window/menu'
import { questionsIn } from './window/dialogs/questions'

/** What starts the utility processes. */
export interface Forks {
  cache: () => CacheProcess
  /** The thread that reads large answers. */
  answers: () => Worker
  keychain: KeychainProcesses
  builtInService: BuiltInServiceOptions['fork']
}

/** `calls` are those that the window has made and makes. */
export function startApplication(window: MainWindow, calls: WaitingCalls, forks: Forks): void {
  readInThreads(forks.answers)
  const userDataFolder = app.getPath('userData')
  const usualFolder = join(app.getPath('appData'), app.getName())

  const noted = noteChanges(log)
  const connections = new Connections((connection) => {
    if (connection.environmentId === environments.state().currentEnvironmentId) {
      tellConnection(connection)
      noted.connection(connection)
      offline.noteConnection(connection)
      reconciler.noteConnection(connection)
    }
  })
  // A synchronisation makes many requests a second; the window need not hear of each.
  const tellConnection = sparingly((connection: Connection) => door.send('connection.changed', connection))
  const refusals = createRefusals()
  const monotonic = (): number => performance.now()
  const clocks = createServiceClocks(monotonic)
  const http = clocks.hearing(
    loggedClient(
      createHttpClient(
        refusals,
        (environmentId, outcome) => connections.note(environmentId, outcome),
        deploymentService,
      ),
      log,
      redactor,
    ),
  )
  const { showDialog } = window
  const ask = questionsIn(showDialog)
  const keychainService = keychainServiceName(userDataFolder, usualFolder)
  const openKeychain = (first = false): Keychain =>
    loggedKeychain(
      createKeychain({ processes: forks.keychain, service: keychainService, first }),
      log,
      redactor,
    )
  const begunAnew = new Map<EnvironmentMode, string>()
  const environments = createEnvironments({
    keychain: openKeychain(true),
    builtIn: createBuiltInService({
      fork: forks.builtInService,
      folder: join(userDataFolder, 'built-in-service'),
      begunAnew: (mode, aside) => {
        begunAnew.set(mode, aside)
        notices.set('sandbox', begunAnewNotice(begunAnew))
      },
    }),
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
  const notices = createNotices((now) => {
    for (const { about, text } of now) noted.notice(about, text)
    door.send('app.notices', now)
  })
  const setAside = createSetAsideNotice(userDataFolder, (text) => notices.set('set-aside', text))
  const regained = (name: string): void => {
    log.info('disk', `${name} can be read again and was taken in`)
    void setAside.refresh().catch(report)
  }
  const keys = createCachedKeys({
    keys: createFileKeys(openKeychain),
    open: openKeychain,
    proofs: () => environments.state().environments.map(({ id }) => cacheKeyAccount(id)),
    found: (amiss) => notices.set('keys', keysNotice(amiss)),
    wroteBack: (account, failed) => log.warn('keychain', `${account} was missing`, { failed }),
  })
  const journalSeal = new LineEncryption(async (stored) => {
    const key = await keys.keyFor('journal-key', { stored })
    return key.ok ? key.value : null
  })
  const journal = createJournal(new JournalFile(join(userDataFolder, 'journal.jsonl'), journalSeal), {
    changed: (entry) => {
      door.send('journal.changed', entry)
      void keys.noteWrite().catch(report)
    },
    report,
    notice: (text) => notices.set('journal', text),
    regained,
    readLate: () => reconciler.noteJournal(),
  })
  const offline = createOffline({
    fork: forks.cache,
    folder: join(userDataFolder, 'cache'),
    openKeychain,
    environments,
    http,
    stateOf: (environmentId) => connections.of(environmentId).state,
    window: window.current,
    journal,
    changed: (state) => {
      noted.synchronisation(state)
      door.send('sync.changed', state)
    },
    report,
  })
  const reconciler = createReconciler({
    environments,
    http: offline.http,
    journal,
    monotonic,
    clocks,
    report,
  })
  powerMonitor.on('suspend', reconciler.noteSuspend)
  powerMonitor.on('resume', reconciler.noteResume)
  const draftsFile = encryptedFile(join(userDataFolder, 'drafts.sealed'))
  const drafts = createDrafts({
    file: {
      ...draftsFile,
      write: async (key, text) => {
        await draftsFile.write(key, text)
        void keys.noteWrite().catch(report)
      },
    },
    keys,
    placeOf: environments.secretsPlace,
    confirm: confirmSecretsBy(ask),
    changed: (keeping) => door.send('drafts.changed', keeping),
    report,
    regained,
  })
  const environmentData = createEnvironmentData({
    filesSetAside: () => filesSetAside(userDataFolder),
    environments,
    drafts,
    cache: offline.cache,
    synchronisation: offline.synchronisation,
    report,
  })
  const lastWords = createFlushOnQuit(() => {
    door.send('drafts.ask', null)
    return window.current() !== null
  })
  const appState = (): AppState => {
    const state = environments.state()
    return {
      version: app.getVersion(),
      trialEngine: isTrialEngine(),
      ...state,
      connection: connections.of(state.currentEnvironmentId),
    }
  }
  const diagnostics = createDiagnostics({
    known: () =>
      gatherKnown(
        appState(),
        journal,
        (id) => offline.cache.kept(id) !== null,
        (id) => offline.synchronisation.state(id),
      ),
    log,
    logFolder: logFolder(),
    redactor,
    askWhere: (suggestedName) => showDialog((before) => askWhereDiagnostics(before, suggestedName)),
    showFolder,
  })
  const handlers = createHandlers({
    appState,
    notices,
    environments,
    ...offline.serve({
      deployments: createDeployments(
        { environments, http: offline.http, journal, reconciler, report },
        drafts.fillIn,
      ),
      repositories: createRepositories(environments, offline.http, report),
    }),
    journal,
    drafts,
    lastWords,
    cache: offline.cache,
    diagnostics,
    requestFiles: createRequestFiles(requestFileDialogs(showDialog)),
    chooseAuthority: async () => (await showDialog(chooseAuthorityFile)) ?? succeed(null),
    synchronisation: offline.synchronisation,
    report,
  })
  const door = answerCalls(calls, window.current, handlers, report, loggedCalls(log, redactor))

  let keychain = environments.state().keychain.state
  environments.onChange((state) => {
    if (state.keychain.state === 'available' && keychain !== 'available') {
      void drafts
        .retry(false)
        .then(() => environmentData.settleLeftOver())
        .catch(report)
      void journal.unlock().catch(report)
      void keys.look().catch(report)
      void offline.noteKeychain().catch(report)
    }
    keychain = state.keychain.state
    noted.environments(state)
    door.keepEnvironment(state.currentEnvironmentId)
    offline.noteEnvironment(connections.of(state.currentEnvironmentId))
    reconciler.noteEnvironment()
    door.send('app.state', appState())
  })
  window.onBroughtBack((again) =>
    notices.set(
      'window',
      again
        ? 'The window stopped working, and Slipway reloaded it. The form has what was typed up to about a second before, without request text that had errors. Activity shows the results of creations in progress.'
        : null,
    ),
  )
  window.onceLoaded(() => {
    // Before anything is read: what is set aside at this start is said by what wanted to read it.
    void setAside.open().catch(report)
    // One after the other: each starts processes, and the copy is what the window shows first.
    void atMost(offline.start(), 1_000)
      .then(() => atMost(environments.load().then(reconciler.follow).catch(report), 1_000))
      .then(() => drafts.open())
      .then(() => environmentData.settleLeftOver())
      .catch(report)
    void removeOldPartitions(userDataFolder).catch(report)
    void tellFirstList({
      window: window.current,
      environmentName: () => {
        const { environments: all, currentEnvironmentId } = environments.state()
        return all.find(({ id }) => id === currentEnvironmentId)?.name ?? currentEnvironmentId
      },
      folder: userDataFolder,
    }).catch(report)
    void closeToOthers(userDataFolder).catch(report)
  })
  setMenu(
    (command) => door.send('window.command', command),
    () => void diagnostics.openLogFolder().catch(report),
  )

  let closed = false
  app.on('before-quit', (event) => {
    if (closed) return
    closed = true
    event.preventDefault()
    reconciler.close()
    const draftsKept = lastWords.gather().then(() => drafts.flush())
    const keysKept = atMost(keys.look(), 2_000)
    void Promise.all([atMost(draftsKept, 6_000), keysKept, offline.close(), environments.close()])
      .catch(report)
      .then(() => log.flush())
      .finally(() => app.quit())
  })
}

/** Waits for work no longer than `ms` milliseconds: nothing keeps the application from ending. */
async function atMost(work: Promise<void>, ms: number): Promise<void> {
  await Promise.race([work, new Promise((resolve) => setTimeout(resolve, ms))])
}

/** Passes a connection on when its state changes, and otherwise at most once a second. */
function sparingly(tell: (connection: Connection) => void): (connection: Connection) => void {
  let last: Connection | null = null
  let waiting: NodeJS.Timeout | null = null
  return (connection) => {
    const changed =
      connection.state !== last?.state ||
      connection.reason !== last.reason ||
      connection.environmentId !== last.environmentId
    last = connection
    if (changed) tell(connection)
    else {
      waiting ??= setTimeout(() => {
        waiting = null
        if (last) tell(last)
      }, 1000)
    }
  }
}
