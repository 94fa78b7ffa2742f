import {
  type AppState,
  type AuthorityFile,
  type CallName,
  type CallOutput,
  type Outcome,
  type ParsedCallInput,
  succeed,
} from '@contract'
import { clipboard } from 'electron'
import type { OrText } from '../processes/answers/json-text'
import { readAuthorityFile } from '../http/authority-file'
import type { Board } from '../features/board'
import type { Deployments } from '../features/deployments'
import type { Life } from '../features/life'
import type { Diagnostics } from '../features/diagnostics'
import type { DraftCalls } from '../stored/drafts/calls'
import type { EnvironmentFiles } from '../features/files/environment-file'
import type { Exports } from '../features/files/export'
import type { Environments } from '../environments/model/types'
import type { Cache } from '../processes/cache-client'
import type { ChoicesFile } from '../stored/choices'
import type { ComparisonCalls } from '../features/comparison'
import type { Journal } from '../stored/journal'
import { createFailureNotes } from '../stored/journal/note-failures'
import type { NoticeBoard } from '../window/notices'
import type { Overview } from '../features/overview'
import type { PersonalCalls } from '../stored/personal/calls'
import type { RequestFiles } from '../features/files/request-file'
import type { Synchronisation } from '../features/sync'
import type { AppLinks } from '../window/links/app-links'
import type { OpenLink } from '../window/links'
import { notify } from '../window/notification'
import type { Handlers } from './answer'
import type { Updates } from '../features/updates'
import type { WatchCalls } from '../features/watches/calls'
import { forKnownEnvironment } from './known-environment'

/** Answers a call with a value, or with the text of one that another process wrote. */
type AnswerOrText<Name extends CallName> = (
  input: ParsedCallInput<Name>,
  signal: AbortSignal,
) => Promise<OrText<CallOutput<Name>>>

/** The parts of the application that answer calls. */
export interface Parts {
  appState: () => AppState
  notices: NoticeBoard
  environments: Environments
  environmentFiles: EnvironmentFiles
  deployments: Omit<Deployments, 'get'> & { get: AnswerOrText<'deployments.get'> }
  life: Life
  drafts: DraftCalls
  repositories: { list: AnswerOrText<'repositories.list'> }
  overview: Overview
  personal: PersonalCalls
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
  isQuitting: () => boolean
  report: (error: unknown) => void
}

/** Assigns each call to the part that handles it. */
export function createHandlers(parts: Parts): Handlers {
  const { appState, environments, deployments, repositories, journal, cache, synchronisation } = parts
  const { choices, comparison, diagnostics, drafts, notices, personal, requestFiles, updates, watches } =
    parts
  const known = forKnownEnvironment(environments)
  const noteFailures = createFailureNotes(parts)
  return {
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
    'deployments.page': noteFailures('List deployments', deployments.page),
    'deployments.get': noteFailures('Open a deployment', deployments.get),
    'deployments.status': noteFailures('Read the status of a deployment', deployments.status),
    // A creation has a journal entry of its own, even if it fails.
    'deployments.create': deployments.create,
    'life.offers': parts.life['life.offers'],
    'life.keptOffers': known(parts.life['life.keptOffers']),
    'life.switchOn': known(parts.life['life.switchOn']),
    'life.choices': parts.life['life.choices'],
    'life.revisions': noteFailures('List revisions', parts.life['life.revisions']),
    // A change has a journal entry of its own.
    'life.review': noteFailures('Review a change', parts.life['life.review']),
    'life.change': parts.life['life.change'],
    'life.lookUp': parts.life['life.lookUp'],
    'life.failed': known(parts.life['life.failed']),
    'life.saveLog': parts.life['life.saveLog'],
    'life.log': noteFailures('Read a log', parts.life['life.log']),
    'requestFile.open': requestFiles.open,
    'requestFile.save': requestFiles.save,
    'drafts.list': known(drafts['drafts.list']),
    'drafts.save': known(drafts['drafts.save']),
    'drafts.remove': known(drafts['drafts.remove']),
    'drafts.saveTemplate': known(drafts['drafts.saveTemplate']),
    'drafts.removeTemplate': known(drafts['drafts.removeTemplate']),
    'drafts.retry': drafts['drafts.retry'],
    'drafts.flushed': drafts['drafts.flushed'],
    'annotations.list': known(personal['annotations.list']),
    'annotations.save': known(personal['annotations.save']),
    'annotations.flushed': personal['annotations.flushed'],
    'views.list': personal['views.list'],
    'views.save': personal['views.save'],
    'views.remove': personal['views.remove'],
    'views.share': personal['views.share'],
    'views.read': personal['views.read'],
    'lastFilters.read': known(personal['lastFilters.read']),
    'lastFilters.save': known(personal['lastFilters.save']),
    'recents.list': known(personal['recents.list']),
    'recents.add': known(personal['recents.add']),
    'comparison.find': comparison['comparison.find'],
    'comparison.deployment': known(comparison['comparison.deployment']),
    'comparison.ignored': comparison['comparison.ignored'],
    'comparison.ignore': comparison['comparison.ignore'],
    'board.page': parts.board.page,
    'agents.assign': known(personal['agents.assign']),
    'agents.pin': personal['agents.pin'],
    'deployments.lookUp': deployments.lookUp,
    'deployments.claim': deployments.claim,
    'deployments.dismiss': deployments.dismiss,
    'deployments.export': parts.exports.save,
    'deployments.showExport': parts.exports.showLast,
    'repositories.list': noteFailures('List repositories', repositories.list),
    'cache.page': known(({ environmentId, request }) => cache.askText(environmentId, 'page', { request })),
    'cache.statuses': known(({ environmentId }) => cache.ask(environmentId, 'statuses', {})),
    'cache.cleanUp': known(({ environmentId }) => synchronisation.cleanUp(environmentId)),
    'history.deployment': known(({ environmentId, request }) =>
      cache.askText(environmentId, 'history', { request }),
    ),
    'history.changes': known(({ environmentId, request }) =>
      cache.askText(environmentId, 'changes', { request }),
    ),
    'history.statuses': known(({ environmentId, request }) =>
      cache.askText(environmentId, 'status-history', { request }),
    ),
    'history.earlier': known(({ environmentId, request }) =>
      cache.askText(environmentId, 'earlier', { request }),
    ),
    'history.state': known(({ environmentId }) => cache.ask(environmentId, 'history-state', {})),
    'history.keep': known(({ environmentId, days }) => cache.ask(environmentId, 'keep-history', { days })),
    'sync.state': known(async ({ environmentId }) => succeed(await synchronisation.state(environmentId))),
    'sync.start': known(({ environmentId }) => synchronisation.start(environmentId)),
    'sync.cancel': known(({ environmentId }) => synchronisation.cancel(environmentId)),
    'sync.interval': known(({ environmentId, minutes }) =>
      synchronisation.setInterval(environmentId, minutes),
    ),
    'overview.read': parts.overview.read,
    'overview.changes': parts.overview.changes,
    'overview.statuses': parts.overview.statuses,
    'journal.list': async ({ limit, name, filter }) => succeed(await journal.list(limit, name, filter)),
    'choices.read': () => succeed(choices.read()),
    'choices.save': async (input) => {
      await choices.save(input)
      return succeed(null)
    },
    'diagnostics.describe': diagnostics.describe,
    'diagnostics.save': diagnostics.save,
    'diagnostics.openLogFolder': diagnostics.openLogFolder,
    'clipboard.write': async ({ text }) => {
      await clipboard.writeText(text)
      return succeed(null)
    },
    'appLinks.take': () => succeed(parts.takeLink()),
    'links.open': ({ url }) => parts.openLink(url),
    'watches.state': watches['watches.state'],
    'watches.add': known(watches['watches.add']),
    'watches.change': watches['watches.change'],
    'watches.remove': watches['watches.remove'],
    'watches.follow': watches['watches.follow'],
    'watches.entries': watches['watches.entries'],
    'watches.markRead': watches['watches.markRead'],
    'watches.dismiss': watches['watches.dismiss'],
    'watches.restore': watches['watches.restore'],
    'updates.state': () => succeed(updates.state()),
    'updates.choose': async ({ isOn }) => {
      await updates.choose(isOn)
      return succeed(null)
    },
    'updates.dismiss': async ({ version }) => {
      await updates.dismiss(version)
      return succeed(null)
    },
    'watches.setQuiet': watches['watches.setQuiet'],
    'window.notify': (input) => notify(input),
  }
}
