import { z } from 'zod'
import { type Connection, type Environment, type KeychainState } from '../../app/environment'
import {
  type CachedPage,
  cachedPageRequestSchema,
  type ExportProgress,
  type StatusCounts,
} from '../../cache/query'
import { type RepositoryList, syncIntervals, type SyncState } from '../../cache/answers'
import type { WatchesState } from '../../cache/watches'
import type { DraftsPersistence } from '../../app/drafts'
import type { CommandId } from '../../app/shortcuts'
import type { AppLink } from '../../core/app-link'
import type { Outcome } from '../../core/outcome'
import { longestLink } from '../../core/url'
import { type JournalEntry, journalFilters } from '../../app/journal'
import { longestDeploymentName } from '../../deployment-api/request/create-request'
import { boardCalls, comparisonCalls, historyCalls, overviewCalls } from './caches'
import { type Choices, choicesSchema } from '../choices'
import { call, callWith, environmentId } from './call'
import type { CallName, EventName } from '../names'
import { draftCalls, personalCalls, updateCalls, type UpdatesState, watchCalls } from './own'
import { deploymentCalls, environmentCalls, lifeCalls } from './deployments'

/** The largest file that is opened as a request, in bytes. */
export const largestRequestFile = 1_000_000

/** A request to save: its text without values of secrets, and a name for the file. */
const requestFileToSaveSchema = z.strictObject({
  baseName: z.string().max(1_000),
  extension: z.enum(['json', 'yaml']),
  text: z.string().max(5_000_000),
})

export type { DeploymentPage } from './deployments'

/** What every screen of the window shows. */
export interface AppState {
  version: string
  /** What Slipway runs on, with versions. */
  engine: string
  /**
   * Whether Slipway runs on the trial engine, which gets no security fixes. No credentials may be sent through it.
   */
  trialEngine: boolean
  environments: Environment[]
  currentEnvironmentId: string
  keychain: KeychainState
  connection: Connection
}

/** What the operator has to know about Slipway's files and window. Each notice stays as long as its cause. */
export type Notices = {
  about: 'journal' | 'environments' | 'sandbox' | 'set-aside' | 'state' | 'window'
  text: string
}[]

/**
 * Input and output of every call. A call about a deployment or repository names its environment, and fails with
 * `environment-changed` if that isn't the current one any more. So one environment's data is never shown under
 * another's name.
 */
export const calls = {
  /** The state of the window. Later states come as the event of the same name. */
  'app.state': call<AppState>()({}),
  /** The notices. Later ones come as the event of the same name. */
  'app.notices': call<Notices>()({}),
  ...environmentCalls,
  ...deploymentCalls,
  ...lifeCalls,
  ...draftCalls,
  ...personalCalls,
  ...overviewCalls,
  ...comparisonCalls,
  ...boardCalls,
  /** The repositories of an integration. A successful listing adds it to the environment's known integrations. */
  'repositories.list': call<RepositoryList>()({
    environmentId,
    integrationId: z.guid('Enter a valid ID (UUID).'),
  }),
  'cache.page': call<CachedPage>()({ environmentId, request: cachedPageRequestSchema }),
  /** How many deployments of the cache have each status. */
  'cache.statuses': call<StatusCounts>()({ environmentId }),
  /** Removes deployments that are gone from the cache. Returns how many. */
  'cache.cleanUp': call<{ removed: number }>()({ environmentId }),
  ...historyCalls,
  /** The cache and its synchronisation. Later states come as the event `sync.changed`. */
  'sync.state': call<SyncState>()({ environmentId }),
  /**
   * Starts a full synchronisation of the current environment, or continues an interrupted one. Doesn't wait for its
   * end. Fails with `environment-changed` for any other environment, so that only one is synchronised at a time.
   */
  'sync.start': call<null>()({ environmentId }),
  'sync.cancel': call<null>()({ environmentId }),
  /** How often the environment is synchronised in the background, in minutes; 0 is never. */
  'sync.interval': call<null>()({ environmentId, minutes: z.literal(syncIntervals) }),
  /**
   * The newest entries of the journal that pass the filter, newest first, then older unconfirmed creations: up to
   * `limit` of any name, and as many of the given name, because one of them may block it.
   */
  'journal.list': call<JournalEntry[]>()({
    limit: z.int().min(1).max(1000),
    name: z.string().max(longestDeploymentName).nullable().default(null),
    filter: z.enum(journalFilters).default('all'),
  }),
  /**
   * Lets the operator choose a file with a request, and reads it: its name without its folder, and its text. Null if they
   * chose none. Failures: `invalid-input`, `internal`.
   */
  'requestFile.open': call<{ fileName: string; text: string } | null>()({}),
  /** Lets the operator choose where to save a request, and saves it. Failures: `disk-full`, `internal`. */
  'requestFile.save': callWith<{ path: string | null }>()(requestFileToSaveSchema),
  /** The operator's choices on how Slipway shows things. */
  'choices.read': call<Choices>()({}),
  /** Saves those choices for the next start. Failure: `internal`. */
  'choices.save': callWith<null>()(choicesSchema),
  /**
   * The content of a diagnostics bundle, to be shown before it is saved: its files with their uncompressed size in bytes,
   * and the text of `summary.json`, exactly as it will be saved.
   */
  'diagnostics.describe': call<{ files: { name: string; bytes: number }[]; summary: string }>()({}),
  /** Lets the operator choose where to save a diagnostics bundle, and saves it. Failures: `disk-full`, `internal`. */
  'diagnostics.save': call<{ path: string | null }>()({}),
  /** Shows the log files in the system's file manager, at most once every few seconds. Failure: `internal`. */
  'diagnostics.openLogFolder': call<null>()({}),
  'clipboard.write': call<null>()({ text: z.string().max(5_000_000) }),
  /**
   * The last Slipway link that the system handed over, unless it was taken already. `link` is null for a text that
   * isn't such a link.
   */
  'appLinks.take': call<{ link: AppLink | null } | null>()({}),
  /**
   * Opens an address of a deployment or repository in the system's browser, once the operator has agreed in a system
   * dialog, which names the host. Failures: `invalid-input` for anything but http and https; `not-allowed` if the
   * operator couldn't be asked; `cancelled`; `internal`.
   */
  'links.open': call<null>()({ url: z.string().max(longestLink) }),
  ...watchCalls,
  ...updateCalls,
  /** Shows a silent system notification, if the window doesn't have the focus. */
  'window.notify': call<null>()({ title: z.string().max(1000), body: z.string().max(1000) }),
} satisfies Record<CallName, { input: z.ZodType; output: unknown }>

export type CallInput<Name extends CallName> = z.input<(typeof calls)[Name]['input']>
export type ParsedCallInput<Name extends CallName> = z.output<(typeof calls)[Name]['input']>
export type CallOutput<Name extends CallName> = (typeof calls)[Name]['output']

/** What answers the calls of an area: of "views", `views.list`, `views.save` and the others. */
export type Answers<Area extends string> = {
  [Name in Extract<CallName, `${Area}.${string}`>]: (
    input: ParsedCallInput<Name>,
    signal: AbortSignal,
  ) => Promise<Outcome<CallOutput<Name>>>
}

/**
 * What the application's menu sends to the window: a command, or the environment to switch to. `bySystem`: the system
 * made the command from a key or mouse button that the page may also have seen.
 */
export type WindowCommand = { command: CommandId; bySystem?: true } | { environmentId: string }

/** The payloads of the events. */
interface EventPayloads {
  /** The application is about to quit: save the note that is being typed. */
  'annotations.flush': null
  'app.state': AppState
  'app.notices': Notices
  /** A Slipway link is ready for `appLinks.take`. */
  'appLinks.arrived': null
  'connection.changed': Connection
  'drafts.changed': DraftsPersistence
  /** The application is about to quit: save what was entered and isn't saved yet. */
  'drafts.flush': null
  'export.progress': ExportProgress
  'journal.changed': JournalEntry
  /** What operators keep about deployments can now be read: request it again. */
  'personal.changed': null
  'sync.changed': SyncState
  'updates.changed': UpdatesState
  'watches.changed': WatchesState
  /** The operator chose the notification of this notice. */
  'watches.shown': { noticeId: string }
  'window.command': WindowCommand
}

export type EventPayload<Name extends EventName> = EventPayloads[Name]
