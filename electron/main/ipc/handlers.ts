import {
  type AppState,
  type AuthorityFile,
  type CallName,
  type CallOutput,
  fail,
  type FailureCode,
  type Outcome,
  type ParsedCallInput,
  succeed,
} from '@contract'
import { clipboard } from 'electron'
import { notFound } from '../environments/failures'
import { accountIn, existsIn, nameIn } from '../environments/identity'
import type { Environments } from '../environments/types'
import type { Board } from '../features/board'
import type { ComparisonCalls } from '../features/comparison'
import type { Deployments } from '../features/deployments'
import type { Diagnostics } from '../features/diagnostics'
import type { EnvironmentFiles } from '../features/environment-files'
import type { Exports } from '../features/export'
import type { Life } from '../features/life'
import type { Overview } from '../features/overview'
import type { RequestFiles } from '../features/request-files'
import type { Synchronisation } from '../features/sync'
import type { Updates } from '../features/updates'
import type { WatchCalls } from '../features/watches/calls'
import { readAuthorityFile } from '../http/certificates'
import type { OrText } from '../processes/answers'
import type { Cache } from '../processes/cache-client'
import type { ChoicesFile } from '../stored/choices'
import type { Drafts } from '../stored/drafts'
import type { FlushOnQuit } from '../stored/flush-on-quit'
import type { Journal } from '../stored/journal'
import type { Agents } from '../stored/personal/agents'
import type { Annotations } from '../stored/personal/annotations'
import type { Remembered } from '../stored/personal/remembered'
import type { Views } from '../stored/personal/views'
import type { OpenLink } from '../window/links'
import type { AppLinks } from '../window/links/app-links'
import type { NoticeBoard } from '../window/notices'
import { notify } from '../window/notification'
import type { Handlers } from './answer'

/** Answers a call with a value, or with the text of one that another process wrote. */
type AnswerOrText<Name extends CallName> = (
  input: ParsedCallInput<Name>,
  signal: AbortSignal,
) => Promise<OrText<CallOutput<Name>>>

/** The parts of the application that answer calls. */
export interface Parts {
  appState: () => AppState
  notices: Pick<NoticeBoard, 'list'>
  environments: Environments
  environmentFiles: EnvironmentFiles
  deployments: Omit<Deployments, 'get'> & { get: AnswerOrText<'deployments.get'> }
  life: Life
  drafts: Drafts
  /** Of the form, and of an editor of notes. */
  flushing: { drafts: FlushOnQuit; notes: FlushOnQuit }
  repositories: { list: AnswerOrText<'repositories.list'> }
  overview: Overview
  annotations: Annotations
  views: Views
  remembered: Remembered
  agents: Agents
  comparison: ComparisonCalls
  board: Board
  journal: Journal
  cache: Cache
  choices: Pick<ChoicesFile, 'read' | 'save'>
  diagnostics: Diagnostics
  requestFiles: RequestFiles
  exports: Pick<Exports, 'save' | 'showLast'>
  /** Asks the operator for the file of an authority's certificate; null if they cancel. */
  chooseAuthority: () => Promise<Outcome<AuthorityFile | null>>
  synchronisation: Synchronisation
  updates: Pick<Updates, 'state' | 'choose' | 'dismiss'>
  watches: WatchCalls
  /** The link that the system handed over last and that wasn't taken yet. */
  takeLink: AppLinks['take']
  openLink: OpenLink
  /** Whether Slipway is quitting. It ends the built-in service and connections first, so calls fail then. */
  isQuitting: () => boolean
  report: (error: unknown) => void
}

/** The answer of a call that gives nothing. */
async function done(work: Promise<void> | void): Promise<Outcome<null>> {
  await work
  return succeed(null)
}

/** Assigns each call to the part that handles it. */
export function createHandlers(parts: Parts): Handlers {
  const { appState, environments, deployments, repositories, journal, cache, synchronisation } = parts
  const { agents, annotations, board, choices, comparison, diagnostics, drafts, exports, flushing } = parts
  const { life, notices, overview, remembered, requestFiles, updates, views, watches } = parts
  const handlers: Handlers = {
    ...life,
    ...comparison,
    ...watches,
    'app.state': () => succeed(appState()),
    'app.notices': () => succeed(notices.list()),
    'environments.save': environments.save,
    'environments.remove': ({ id, confirmedName }) => environments.remove(id, confirmedName),
    'environments.select': ({ id }) => environments.select(id),
    'environments.reorder': ({ ids }) => environments.reorder(ids),
    'environments.openFile': parts.environmentFiles.open,
    'environments.saveFile': ({ ids }) => parts.environmentFiles.save(ids),
    'environments.check': environments.check,
    'environments.retryKeychain': environments.retryKeychain,
    'environments.trust': ({ id, refusalId }) => environments.trust(id, refusalId),
    'environments.readAuthority': ({ pem }) => readAuthorityFile(Buffer.from(pem)),
    'environments.chooseAuthority': parts.chooseAuthority,
    'deployments.page': deployments.page,
    'deployments.get': deployments.get,
    'deployments.status': deployments.status,
    'deployments.create': deployments.create,
    'deployments.lookUp': deployments.lookUp,
    'deployments.claim': deployments.claim,
    'deployments.dismiss': deployments.dismiss,
    'deployments.export': exports.save,
    'deployments.showExport': exports.showLast,
    'requestFile.open': requestFiles.open,
    'requestFile.save': requestFiles.save,
    'drafts.list': async ({ environmentId }) => {
      // Only the form lists drafts, so from now on it can be asked for unsaved ones.
      flushing.drafts.noteForm()
      return succeed(await drafts.list(environmentId))
    },
    'drafts.save': ({ environmentId, draft, current }) => succeed(drafts.save(environmentId, draft, current)),
    'drafts.remove': ({ environmentId, id }) => succeed(drafts.remove(environmentId, id)),
    'drafts.saveTemplate': ({ environmentId, template }) => drafts.saveTemplate(environmentId, template),
    'drafts.removeTemplate': ({ environmentId, id }) => succeed(drafts.removeTemplate(environmentId, id)),
    'drafts.retry': async () => succeed(await drafts.retry(true)),
    'drafts.flushed': () => done(flushing.drafts.noteFlushed()),
    'annotations.list': ({ environmentId }) => {
      // From now on the page may have a note to save.
      flushing.notes.noteForm()
      return annotations.list(environmentId)
    },
    'annotations.save': annotations.save,
    'annotations.flushed': () => done(flushing.notes.noteFlushed()),
    'views.list': () => views.list(),
    'views.save': (input) => views.save(input.views),
    'views.remove': ({ ids }) => views.remove(ids),
    'views.share': ({ ids }) => views.share(ids),
    'views.read': () => views.read(),
    'lastFilters.read': ({ environmentId }) => remembered.filters(environmentId),
    'lastFilters.save': remembered.saveFilters,
    'recents.list': ({ environmentId }) => remembered.recents(environmentId),
    'recents.add': remembered.addRecent,
    'board.page': board.page,
    'agents.assign': agents.assign,
    'agents.pin': agents.pin,
    'repositories.list': repositories.list,
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
    'overview.read': overview.read,
    'overview.changes': overview.changes,
    'overview.statuses': overview.statuses,
    'journal.list': async ({ limit, name, filter }) => succeed(await journal.list(limit, name, filter)),
    'choices.read': () => succeed(choices.read()),
    'choices.save': (input) => done(choices.save(input)),
    'diagnostics.describe': diagnostics.describe,
    'diagnostics.save': diagnostics.save,
    'diagnostics.openLogFolder': diagnostics.openLogFolder,
    'clipboard.write': ({ text }) => done(clipboard.writeText(text)),
    'appLinks.take': () => succeed(parts.takeLink()),
    'links.open': ({ url }) => parts.openLink(url),
    'updates.state': () => succeed(updates.state()),
    'updates.choose': ({ isOn }) => done(updates.choose(isOn)),
    'updates.dismiss': ({ version }) => done(updates.dismiss(version)),
    'window.notify': (input) => notify(input),
  }
  return wrapped(handlers, parts)
}

/** The calls whose failures the journal notes, under these names. A creation and a change have entries of their own. */
const noted: Partial<Record<CallName, string>> = {
  'deployments.page': 'List deployments',
  'deployments.get': 'Open a deployment',
  'deployments.status': 'Read the status of a deployment',
  'life.revisions': 'List revisions',
  'life.review': 'Review a change',
  'life.log': 'Read a log',
  'repositories.list': 'List repositories',
}

/** Failures of normal use: the operator left, or must fix or confirm something first. */
const everyday: readonly FailureCode[] = [
  'cancelled',
  'environment-changed',
  'invalid-input',
  'confirmation-needed',
]

/** The calls about the service of the current environment: they check themselves that it is still current. */
const ofCurrent = /^(?:deployments|repositories|life)\.(?!keptOffers|switchOn|failed)/

type AnyHandler = (
  input: { environmentId: string },
  signal: AbortSignal,
) => Outcome<unknown> | Promise<Outcome<unknown>>

/**
 * Handlers that note failures of the service in the journal, and do nothing about an environment that doesn't exist
 * (any more).
 */
function wrapped(handlers: Handlers, { environments, journal, isQuitting, report }: Parts): Handlers {
  const exists = existsIn(environments)
  const nameOf = nameIn(environments)
  const accountOf = accountIn(environments)

  const noting =
    (action: string, handle: AnyHandler): AnyHandler =>
    async (input, signal) => {
      const startedAt = new Date()
      const { environmentId } = input
      // An edit meanwhile doesn't make it a failure of the other service.
      const before = accountOf(environmentId)
      const outcome = await handle(input, signal)
      if (outcome.ok || signal.aborted || isQuitting() || everyday.includes(outcome.failure.code))
        return outcome
      const environmentName = nameOf(environmentId) ?? environmentId
      const place = { environmentId, environmentName, account: before ?? accountOf(environmentId) }
      void journal.noteFailure(place, action, startedAt, outcome.failure).catch(report)
      return outcome
    }

  const known =
    (handle: AnyHandler): AnyHandler =>
    (input, signal) =>
      typeof input.environmentId !== 'string' || exists(input.environmentId)
        ? handle(input, signal)
        : fail(notFound())

  return Object.fromEntries(
    Object.entries(handlers).map(([name, handle]) => {
      const action = noted[name as CallName]
      const handler = handle as AnyHandler
      if (action !== undefined) return [name, noting(action, handler)]
      return [name, ofCurrent.test(name) ? handler : known(handler)]
    }),
  ) as unknown as Handlers
}
