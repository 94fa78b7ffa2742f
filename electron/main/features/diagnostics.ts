import { readFile } from 'node:fs/promises'
import { release } from 'node:os'
import { join } from 'node:path'
import {
  type Answers,
  type AppState,
  type Connection,
  type Environment,
  fail,
  failure,
  type JournalEntry,
  succeed,
} from '@contract'
import type { SyncState } from '@contract/cache'
import { app } from 'electron'
import { raceTimeout } from '../async'
import { type Log, logFileNames } from '../log'
import { saveChosen } from '../window/chosen-files'
import { type FileDialogs, showFolder } from '../window/file-dialogs'
import type { Journal } from '../stored/journal'
import type { EnvironmentsState } from '../environments/known'

export interface DiagnosticsOptions {
  appState: () => AppState
  journal: Pick<Journal, 'list'>
  /** The state of an environment's cache; null unless it is open: none is opened for this. */
  syncStateOf: (environmentId: string) => Promise<SyncState> | null
  log: Log
  logFolder: string
  askWhere: FileDialogs['askWhere']
}

interface BundleFile {
  name: string
  text: string
}

/** The diagnostics bundle: it helps to find a fault, and has no secrets or names. */
export function createDiagnostics(options: DiagnosticsOptions): Answers<'diagnostics'> {
  const { log, logFolder } = options

  async function bundle(): Promise<[summary: BundleFile, ...logs: BundleFile[]]> {
    const summary = { name: 'summary.json', text: `${JSON.stringify(await summarise(options), null, 2)}\n` }
    const logs: BundleFile[] = []
    for (const name of logFileNames) {
      const text = await readFile(join(logFolder, name), 'utf8').catch(() => null)
      if (text !== null) logs.push({ name: `logs/${name}`, text })
    }
    return [summary, ...logs]
  }

  return {
    /** What the bundle would contain now. */
    async 'diagnostics.describe'() {
      const files = await bundle()
      return succeed({
        files: files.map(({ name, text }) => ({ name, bytes: Buffer.byteLength(text) })),
        summary: files[0].text,
      })
    },

    /** Asks where, and saves the bundle there. Failures: `disk-full`, `internal`. */
    async 'diagnostics.save'() {
      const day = new Date().toISOString().slice(0, 10)
      const path = await options.askWhere('diagnostics', `slipway-diagnostics-${day}.zip`)
      if (path === null) return succeed({ path })
      const files = await bundle()
      const { strToU8, zipSync } = await import('fflate')
      const zip = zipSync(Object.fromEntries(files.map(({ name, text }) => [name, strToU8(text)])))
      const saved = await saveChosen(path, zip, 'The diagnostics')
      if (saved.ok) log.info('app', 'diagnostics saved', { bytes: zip.length, files: files.length })
      return saved
    },

    /** Shows the log files. Failure: `internal`. */
    async 'diagnostics.openLogFolder'() {
      if ((await showFolder(logFolder)) === '') return succeed(null)
      return fail(
        failure('internal', "The system couldn't show the log folder.", {
          advice: `The log files are in ${logFolder}.`,
        }),
      )
    },
  }
}

/** How long a cache may take to answer, in milliseconds; a slower one is left out. */
const timeoutMs = 3_000

/**
 * The summary of the application: settings without secrets, states and counts. Each member is chosen here, so that
 * nothing is included by accident: no name of an environment or deployment, no path, no header value.
 */
async function summarise({ appState, journal, syncStateOf }: DiagnosticsOptions): Promise<object> {
  const { keychain, connection, environments, currentEnvironmentId } = appState()
  const { electron, chrome, node } = process.versions
  const caches = await Promise.all(
    environments.map(({ id }) => {
      const state = syncStateOf(id)
      return raceTimeout(
        Promise.resolve(state).catch(() => undefined),
        timeoutMs,
      )
    }),
  )
  const entries = await journal.list(1_000).catch(() => null)
  return {
    versions: { slipway: app.getVersion(), electron, chrome, node },
    system: {
      platform: process.platform,
      release: release(),
      arch: process.arch,
      packaged: app.isPackaged,
      runningSeconds: Math.round(process.uptime()),
    },
    keychain: keychain.state,
    connection: { environment: connection.environmentId, state: connection.state, at: connection.at },
    environments: environments.map((environment) => ({
      id: environment.id,
      current: environment.id === currentEnvironmentId,
      ...settingsOf(environment),
    })),
    journal: entries && countsOf(entries),
    copies: caches
      .filter((state) => state != null)
      .map(({ environmentId, progress, last, cache, storage, intervalMinutes, problem }) => ({
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

/** Logs changes of state, each once. */
export function noteChanges(log: Log) {
  const last = new Map<string, string>()
  const isNew = (what: string, value: string): boolean => {
    if (last.get(what) === value) return false
    last.set(what, value)
    return true
  }
  return {
    environments({ currentEnvironmentId, environments, keychain }: EnvironmentsState): void {
      if (isNew('keychain', keychain.state)) log.info('keychain', `state ${keychain.state}`)
      const unreadable = environments.filter(({ problem }) => problem !== null).length
      const fields = { current: currentEnvironmentId, count: environments.length, unreadable }
      if (isNew('environments', JSON.stringify(fields))) log.info('app', 'environments', fields)
    },
    /** A notice about one of Slipway's files. */
    notice(about: string, text: string): void {
      if (isNew(`notice ${about}`, text)) log.warn('disk', text, { about })
    },
    connection({ environmentId, state }: Connection): void {
      if (isNew(`connection ${environmentId}`, state)) log.info('http', state, { environment: environmentId })
    },
    synchronisation({ environmentId, progress, last: end, storage: stored }: SyncState): void {
      const about = { environment: environmentId }
      const phase = progress ? `pass ${progress.pass} ${progress.phase}` : 'idle'
      if (isNew(`sync ${environmentId}`, phase) && progress)
        log.info('sync', phase, { ...about, automatic: progress.automatic })
      if (end && isNew(`sync end ${environmentId}`, end.at)) {
        log.info('sync', `ended: ${end.end}`, {
          ...about,
          covered: end.covered,
          gone: end.gone,
          code: end.failure?.code,
        })
      }
      if (stored && isNew(`storage ${environmentId}`, stored)) log.info('cache', `stored ${stored}`, about)
    },
  }
}
