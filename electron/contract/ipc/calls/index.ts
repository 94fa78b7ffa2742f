import { z } from 'zod'
import {
  type Connection,
  connectionCheckSchema,
  connectionSchema,
  environmentInputSchema,
  environmentSchema,
  identifierSchema,
  keychainStateSchema,
} from '../../app/environment/environment'
import {
  environmentsToSaveSchema,
  openedEnvironmentsSchema,
  savedEnvironmentsSchema,
} from '../../app/environment/environment-file'
import { type ExportProgress, exportRequestSchema, exportResultSchema } from '../../cache/export'
import { deploymentDetailSchema, repositoryListSchema } from '../../cache/detail'
import { cachedPageRequestSchema, cachedPageSchema, statusCountsSchema } from '../../cache/query/query'
import { syncIntervals, type SyncState, syncStateSchema } from '../../cache/sync/sync-state'
import type { WatchesState } from '../../cache/watches/watches'
import {
  type DraftsPersistence,
  draftsPersistenceSchema,
  environmentDraftsSchema,
  savedDraftSchema,
  draftInputSchema,
  templateInputSchema,
} from '../../app/drafts'
import type { CommandId } from '../../app/commands'
import { diagnosticsContentSchema, diagnosticsSavedSchema } from '../../app/diagnostics'
import { deploymentSections, linkScreens } from '../../core/app-link'
import { longestLink } from '../../core/link'
import { authorityFileSchema } from '../../core/network'
import {
  creationEntrySchema,
  type JournalEntry,
  journalEntrySchema,
  journalFilterSchema,
} from '../../app/journal'
import {
  openedRequestFileSchema,
  requestFileToSaveSchema,
  savedRequestFileSchema,
} from '../../app/request-file'
import { createRequestSchema, longestDeploymentName } from '../../deployment-api/request/create-request'
import { deploymentSummarySchema } from '../../deployment-api/deployment'
import {
  hasShortFilters,
  listQuerySchema,
  longestFilter,
  tooLongFilter,
} from '../../deployment-api/list/list-query'
import { unreadableItemSchema } from '../../deployment-api/reading'
import { boardCalls } from './board'
import { choicesSchema } from '../choices'
import { comparisonCalls } from './comparison'
import type { CallName, EventName } from '../names'
import { overviewCalls } from './overview'
import { historyCalls } from './history'
import { personalCalls } from './personal'
import { watchCalls } from './watch'

const none = z.strictObject({})
const nothing = z.null()

/** What every screen of the window shows. */
const appStateSchema = z.object({
  version: z.string(),
  /** What Slipway runs on, with versions. */
  engine: z.string(),
  /**
   * Whether Slipway runs on the trial engine, which gets no security fixes. No credentials may be sent through it.
   */
  trialEngine: z.boolean(),
  environments: z.array(environmentSchema),
  currentEnvironmentId: z.string(),
  keychain: keychainStateSchema,
  connection: connectionSchema,
})

export type AppState = z.infer<typeof appStateSchema>

/** What the operator has to know about Slipway's files and window. Each notice stays as long as its cause. */
const noticesSchema = z.array(
  z.object({
    about: z.enum([
      'journal',
      'environments',
      'sandbox',
      'set-aside',
      'keys',
      'personal',
      'watches',
      'choices',
      'window',
    ]),
    text: z.string(),
  }),
)

export type Notices = z.infer<typeof noticesSchema>

/** A page of the list. `nextOffset` is null at the end; `end` then says how the end was recognised. */
const deploymentPageSchema = z.object({
  environmentId: z.string(),
  offset: z.int(),
  received: z.int(),
  deployments: z.array(deploymentSummarySchema),
  unreadable: z.array(unreadableItemSchema),
  nextOffset: z.number().nullable(),
  end: z.enum(['short', 'empty', 'stuck']).nullable(),
  fetchedAt: z.string(),
})

export type DeploymentPage = z.infer<typeof deploymentPageSchema>

/** Where a Slipway link leads (`AppLink`). */
const appLinkSchema = z.object({
  environment: z.string(),
  screen: z.enum(linkScreens),
  deploymentId: z.string().nullable(),
  section: z.enum(deploymentSections).nullable(),
})

/** A list query as the page may send it. */
const requestedQuerySchema = listQuerySchema.refine(hasShortFilters, tooLongFilter)

/**
 * Input and output of every call. A call about a deployment or repository names its environment, and fails with
 * `environment-changed` if that isn't the current one any more. So one environment's data is never shown under
 * another's name.
 */
export const calls = {
  /** The state of the window. Later states come as the event of the same name. */
  'app.state': { input: none, output: appStateSchema },
  /** The notices. Later ones come as the event of the same name. */
  'app.notices': { input: none, output: noticesSchema },
  /** Adds or changes an environment. Failures: `invalid-input`, `not-found`, the keychain's. */
  'environments.save': { input: environmentInputSchema, output: environmentSchema },
  /**
   * Forgets an environment, its keychain entry and its session's data. `confirmedName` is the environment's name as
   * typed: without it, one that is protected, or whose profile can't be read, fails with `confirmation-needed`.
   */
  'environments.remove': {
    input: z.strictObject({ id: identifierSchema, confirmedName: z.string().max(100).nullable() }),
    output: nothing,
  },
  /**
   * Makes an environment the current one and cancels calls of the one before. Failures: `not-found`; `internal` if
   * the next start won't know of it.
   */
  'environments.select': { input: z.strictObject({ id: identifierSchema }), output: nothing },
  /**
   * Puts the environments that the operator added into this order; those that aren't named come after them. The
   * built-in ones stay first. Failure: `internal` if the next start won't know of it.
   */
  'environments.reorder': {
    input: z.strictObject({ ids: z.array(identifierSchema).max(1_000) }),
    output: nothing,
  },
  /**
   * Lets the operator choose a file with environments, and reads it; null if they chose none. Nothing is added.
   * Failures: `invalid-input`, `internal`.
   */
  'environments.openFile': { input: none, output: openedEnvironmentsSchema },
  /**
   * Lets the operator choose where to save environments without secrets, and saves them. Failures: `not-found`,
   * `disk-full`, `internal`.
   */
  'environments.saveFile': { input: environmentsToSaveSchema, output: savedEnvironmentsSchema },
  /** Requests one deployment from the service of an environment that isn't saved yet, in a temporary session. */
  'environments.check': { input: environmentInputSchema, output: connectionCheckSchema },
  /** Asks the keychain again, after it was locked, missing or unresponsive. */
  'environments.retryKeychain': { input: none, output: keychainStateSchema },
  /**
   * Makes an environment trust exactly the certificate that its service showed and that was refused
   * (`RefusedCertificate.id`). The main process asks the operator in a system dialog, because the stored headers will
   * be sent to that certificate's owner. Failures: `cancelled` if the operator said no; `not-found` if the refusal is
   * no longer known; those of saving.
   */
  'environments.trust': {
    input: z.strictObject({ id: identifierSchema, refusalId: z.string().max(100) }),
    output: environmentSchema,
  },
  /** Reads and checks the certificate of a private authority. Failure: `invalid-input`, which says what is wrong. */
  'environments.readAuthority': {
    input: z.strictObject({ pem: z.string().max(1_000_000) }),
    output: authorityFileSchema,
  },
  /** Lets the operator choose the file of such a certificate. Null if they chose none. */
  'environments.chooseAuthority': { input: none, output: authorityFileSchema.nullable() },
  /** A page of the list (interface: List deployments). */
  'deployments.page': {
    input: z.strictObject({ environmentId: identifierSchema, query: requestedQuerySchema }),
    output: deploymentPageSchema,
  },
  /** One deployment, by the list's `deployment_ids`, because the interface has no call for it. */
  'deployments.get': {
    input: z.strictObject({ environmentId: identifierSchema, id: z.string().min(1).max(longestFilter) }),
    output: deploymentDetailSchema,
  },
  /** The current status of a deployment, only from the service. Small enough for polling. */
  'deployments.status': {
    input: z.strictObject({ environmentId: identifierSchema, id: z.string().min(1).max(longestFilter) }),
    output: z.object({ status: z.string() }),
  },
  /**
   * Creates a deployment (interface: Create a deployment). The request is never repeated automatically. `confirmedName`
   * is the name of a protected environment as typed, else null. After an unconfirmed attempt at the same name, `again`
   * names that one, the deployment that was shown as perhaps being it, and how many consents it had before. Another
   * lookup precedes the request, but if that lookup fails, the request is sent anyway, as the operator agreed. A
   * secret's value may be the mark of a value that is kept with the drafts. If that was entered for another
   * environment, or before an edit, a system dialog asks the operator.
   *
   * Failures: `not-allowed` in a read-only environment; `confirmation-needed`; `attempt-unclear` if `again` is missing:
   * the failure names the attempt, which may be of another environment; `attempt-changed` if the list now shows
   * something else, the attempt was settled meanwhile, or this consent was used (`sentAgain`); `invalid-input`, with
   * an issue at a secret that may not be sent; the service's.
   */
  'deployments.create': {
    input: z.strictObject({
      environmentId: identifierSchema,
      request: createRequestSchema,
      confirmedName: z.string().max(100).nullable(),
      again: z
        .strictObject({
          attemptId: identifierSchema,
          deploymentId: z.string().max(longestFilter).nullable(),
          sentAgain: z.number().int().nonnegative(),
        })
        .nullable()
        .default(null),
    }),
    output: deploymentDetailSchema,
  },
  /**
   * Looks in the list for the deployment of an unconfirmed attempt. Returns what is then known of the attempt, which
   * may be another environment's if this one leads to the same service. The attempt also records a lookup that got no
   * answer.
   */
  'deployments.lookUp': {
    input: z.strictObject({ environmentId: identifierSchema, attemptId: identifierSchema }),
    output: creationEntrySchema,
  },
  /**
   * Settles an unconfirmed attempt as created, because the operator says that a deployment of the last lookup is it.
   * That is possible only if the lookup left it open: the deployment differs, too little is known, or it is one of
   * several. Returns what is then known of the attempt. Failures: `not-found`; `conflict` if another deployment was
   * found meanwhile or nothing is open any more; `other-service` if the environment now leads elsewhere.
   */
  'deployments.claim': {
    input: z.strictObject({
      environmentId: identifierSchema,
      attemptId: identifierSchema,
      deploymentId: z.string().max(longestFilter),
    }),
    output: creationEntrySchema,
  },
  /**
   * Asks where to save, and writes every deployment of a list there, in the list's order. Reports progress by the event
   * `export.progress`. A cancelled or failed export leaves no file behind and doesn't change an existing one. Failures:
   * those of `deployments.page` and `cache.page`, `disk-full`, `internal`.
   */
  'deployments.export': {
    input: z.strictObject({ environmentId: identifierSchema, request: exportRequestSchema }),
    output: exportResultSchema,
  },
  /** Shows the file of the last export in the system's file manager. Failure: `not-found`. */
  'deployments.showExport': { input: none, output: nothing },
  /**
   * The drafts and templates of an environment; values of secrets are marks. Answers soon, even if the file can't be
   * read yet.
   */
  'drafts.list': {
    input: z.strictObject({ environmentId: identifierSchema }),
    output: environmentDraftsSchema,
  },
  /**
   * Saves a draft as it is now: in memory at once, on disk soon after. `current` makes it the one to show first. Values
   * of secrets count as entered for this environment as it is now. A marked value keeps the environment that it was
   * entered for. Beyond `draftLimits`, or with more secrets than a request may have, the earlier state of the draft
   * stays stored. Then `persistence` says why. The answer has marks for the secrets all the same.
   */
  'drafts.save': {
    input: z.strictObject({ environmentId: identifierSchema, draft: draftInputSchema, current: z.boolean() }),
    output: savedDraftSchema,
  },
  'drafts.remove': {
    input: z.strictObject({ environmentId: identifierSchema, id: identifierSchema }),
    output: draftsPersistenceSchema,
  },
  /** Adds a template, or replaces the one with its identifier, without values of secrets. Failures as above. */
  'drafts.saveTemplate': {
    input: z.strictObject({ environmentId: identifierSchema, template: templateInputSchema }),
    output: draftsPersistenceSchema,
  },
  'drafts.removeTemplate': {
    input: z.strictObject({ environmentId: identifierSchema, id: identifierSchema }),
    output: draftsPersistenceSchema,
  },
  /** Asks the keychain again for the key of the drafts. The system may ask for a password. */
  'drafts.retry': { input: none, output: draftsPersistenceSchema },
  /** Answers the event `drafts.flush`: everything that was entered has been saved. */
  'drafts.flushed': { input: none, output: nothing },
  ...personalCalls,
  ...overviewCalls,
  ...comparisonCalls,
  ...boardCalls,
  /** The repositories of an integration. A successful listing adds it to the environment's known integrations. */
  'repositories.list': {
    input: z.strictObject({
      environmentId: identifierSchema,
      integrationId: z.guid('Enter a valid ID (UUID).'),
    }),
    output: repositoryListSchema,
  },
  /** A page of the cached list. */
  'cache.page': {
    input: z.strictObject({ environmentId: identifierSchema, request: cachedPageRequestSchema }),
    output: cachedPageSchema,
  },
  /** How many deployments of the cache have each status. */
  'cache.statuses': {
    input: z.strictObject({ environmentId: identifierSchema }),
    output: statusCountsSchema,
  },
  /** Removes deployments that are gone from the cache. Returns how many. */
  'cache.cleanUp': {
    input: z.strictObject({ environmentId: identifierSchema }),
    output: z.object({ removed: z.int() }),
  },
  ...historyCalls,
  /** The cache and its synchronisation. Later states come as the event `sync.changed`. */
  'sync.state': { input: z.strictObject({ environmentId: identifierSchema }), output: syncStateSchema },
  /**
   * Starts a full synchronisation of the current environment, or continues an interrupted one. Doesn't wait for its
   * end. Fails with `environment-changed` for any other environment, so that only one is synchronised at a time.
   */
  'sync.start': { input: z.strictObject({ environmentId: identifierSchema }), output: nothing },
  'sync.cancel': { input: z.strictObject({ environmentId: identifierSchema }), output: nothing },
  /** How often the environment is synchronised in the background, in minutes; 0 is never. */
  'sync.interval': {
    input: z.strictObject({ environmentId: identifierSchema, minutes: z.literal(syncIntervals) }),
    output: nothing,
  },
  /**
   * The newest entries of the journal that pass the filter, newest first, then older unconfirmed creations: up to
   * `limit` of any name, and as many of the given name, because one of them may block it.
   */
  'journal.list': {
    input: z.strictObject({
      limit: z.int().min(1).max(1000),
      name: z.string().max(longestDeploymentName).nullable().default(null),
      filter: journalFilterSchema.default('all'),
    }),
    output: z.array(journalEntrySchema),
  },
  /** Lets the operator choose a file with a request, and reads it. Failures: `invalid-input`, `internal`. */
  'requestFile.open': { input: none, output: openedRequestFileSchema },
  /** Lets the operator choose where to save a request, and saves it. Failures: `disk-full`, `internal`. */
  'requestFile.save': { input: requestFileToSaveSchema, output: savedRequestFileSchema },
  /** The operator's choices on how Slipway shows things. */
  'choices.read': { input: none, output: choicesSchema },
  /** Saves those choices for the next start. Failure: `internal`. */
  'choices.save': { input: choicesSchema, output: nothing },
  /** What a diagnostics bundle would contain now. */
  'diagnostics.describe': { input: none, output: diagnosticsContentSchema },
  /** Lets the operator choose where to save a diagnostics bundle, and saves it. Failures: `disk-full`, `internal`. */
  'diagnostics.save': { input: none, output: diagnosticsSavedSchema },
  /** Shows the log files in the system's file manager, at most once every few seconds. Failure: `internal`. */
  'diagnostics.openLogFolder': { input: none, output: nothing },
  /** Writes a text to the clipboard. */
  'clipboard.write': { input: z.strictObject({ text: z.string().max(5_000_000) }), output: nothing },
  /**
   * The last Slipway link that the system handed over, unless it was taken already. `link` is null for a text that
   * isn't such a link.
   */
  'appLinks.take': { input: none, output: z.object({ link: appLinkSchema.nullable() }).nullable() },
  /**
   * Opens an address of a deployment or repository in the system's browser, once the operator has agreed in a system
   * dialog, which names the host. Failures: `invalid-input` for anything but http and https; `not-allowed` if the
   * operator couldn't be asked; `cancelled`; `internal`.
   */
  'links.open': { input: z.strictObject({ url: z.string().max(longestLink) }), output: nothing },
  ...watchCalls,
  /** Shows a silent system notification, if the window doesn't have the focus. */
  'window.notify': {
    input: z.strictObject({ title: z.string().max(1000), body: z.string().max(1000) }),
    output: nothing,
  },
} satisfies Record<CallName, { input: z.ZodType; output: z.ZodType }>

export type CallInput<Name extends CallName> = z.input<(typeof calls)[Name]['input']>
export type ParsedCallInput<Name extends CallName> = z.output<(typeof calls)[Name]['input']>
export type CallOutput<Name extends CallName> = z.output<(typeof calls)[Name]['output']>

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
  /** What the operator keeps about deployments can be read at last: request it again. */
  'personal.changed': null
  'sync.changed': SyncState
  'watches.changed': WatchesState
  /** The operator chose the notification of this notice. */
  'watches.shown': { noticeId: string }
  'window.command': WindowCommand
}

export type EventPayload<Name extends EventName> = EventPayloads[Name]
