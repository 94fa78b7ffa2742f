import { z } from 'zod'
import {
  type Connection,
  connectionCheckSchema,
  connectionSchema,
  environmentInputSchema,
  environmentSchema,
  identifierSchema,
  keychainStateSchema,
} from '../app/environment'
import { cachedPageRequestSchema, cachedPageSchema } from '../cache/query'
import { syncIntervals, type SyncState, syncStateSchema } from '../cache/sync-state'
import {
  type DraftsPersistence,
  draftsPersistenceSchema,
  environmentDraftsSchema,
  savedDraftSchema,
  draftInputSchema,
  templateInputSchema,
} from '../app/drafts'
import { diagnosticsContentSchema, diagnosticsSavedSchema } from '../app/diagnostics'
import { authorityFileSchema } from '../core/network'
import {
  creationEntrySchema,
  type JournalEntry,
  journalEntrySchema,
  journalFilterSchema,
} from '../app/journal'
import { openedRequestFileSchema, requestFileToSaveSchema, savedRequestFileSchema } from '../app/request-file'
import { createRequestSchema, longestDeploymentName } from '../deployment-api/request/create-request'
import { deploymentSchema, deploymentSummarySchema } from '../deployment-api/deployment'
import {
  hasShortFilters,
  listQuerySchema,
  longestFilter,
  tooLongFilter,
} from '../deployment-api/list/list-query'
import { unreadableItemSchema } from '../deployment-api/reading'
import { repositorySchema } from '../deployment-api/repository'
import type { CallName, EventName } from './names'

const none = z.strictObject({})
const nothing = z.null()

/** What the whole window shows at every moment. */
const appStateSchema = z.object({
  version: z.string(),
  /** Whether the program runs on an Electron without security fixes, which no credentials of others may go through. */
  trialEngine: z.boolean(),
  environments: z.array(environmentSchema),
  currentEnvironmentId: z.string(),
  keychain: keychainStateSchema,
  connection: connectionSchema,
})

export type AppState = z.infer<typeof appStateSchema>

/** What the user has to know of the files that Slipway keeps and of the window, each for as long as it is so. */
const noticesSchema = z.array(
  z.object({
    about: z.enum(['journal', 'environments', 'sandbox', 'set-aside', 'keys', 'window']),
    text: z.string(),
  }),
)

export type Notices = z.infer<typeof noticesSchema>

/** A page of the list. `nextOffset` is null at the end, `end` then says by which sign. */
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

/** A whole deployment, and the JSON as it was answered (secret values emptied), indented. */
const deploymentDetailSchema = z.object({
  environmentId: z.string(),
  deployment: deploymentSchema,
  json: z.string(),
  /** Whether it is too large to be shown whole: long texts, lists and objects are cut. */
  shortened: z.boolean(),
  fetchedAt: z.string(),
  /** Set when it is from the cache, because the service could not be reached. */
  fromCache: z.object({ goneAt: z.string().nullable() }).optional(),
})

export type DeploymentDetail = z.infer<typeof deploymentDetailSchema>

const repositoryListSchema = z.object({
  environmentId: z.string(),
  integrationId: z.string(),
  repositories: z.array(repositorySchema),
  unreadable: z.array(unreadableItemSchema),
  /** How many came; the last ones are left out where they are more than a listing may have. */
  received: z.int(),
  fetchedAt: z.string(),
  /** Whether it is from the cache, because the service could not be reached. */
  fromCache: z.boolean().optional(),
})

export type RepositoryList = z.infer<typeof repositoryListSchema>

/** A query as the page may ask it. */
const askedQuerySchema = listQuerySchema.refine(hasShortFilters, tooLongFilter)

/**
 * Input and output of every call. A call about a deployment or repository names its environment, and fails with
 * `environment-changed` when that is no longer the current one, so that nothing of one environment is ever shown
 * under another's name.
 */
export const calls = {
  /** The state of the window; later states come as the event of the same name. */
  'app.state': { input: none, output: appStateSchema },
  /** What there is to know of the files that Slipway keeps and of the window; later changes come as the event of the same name. */
  'app.notices': { input: none, output: noticesSchema },
  /** Adds or changes an environment. Failures: `invalid-input`, `not-found`, the keychain's. */
  'environments.save': { input: environmentInputSchema, output: environmentSchema },
  /** Forgets an environment, its keychain entry and its session's data. */
  'environments.remove': { input: z.strictObject({ id: identifierSchema }), output: nothing },
  /**
   * Makes an environment the current one and cancels the calls of the one before. Failures: `not-found`; `internal` where
   * that was done, but the next start will not know of it.
   */
  'environments.select': { input: z.strictObject({ id: identifierSchema }), output: nothing },
  /** Asks the service of a draft for one deployment, in a throw-away session. */
  'environments.check': { input: environmentInputSchema, output: connectionCheckSchema },
  /** Asks the keychain again, after it was locked, missing or unresponsive. */
  'environments.retryKeychain': { input: none, output: keychainStateSchema },
  /**
   * Trusts exactly the certificate of a refusal (`RefusedCertificate.id`) for the environment whose service showed it.
   * The main process asks the user itself, in a dialog of the system: the stored header values will be sent under it.
   * Failures: `cancelled` where the user said no; `not-found` for a refusal that is unknown by now; as when saving.
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
  /** Lets the user choose the file of such a certificate; null where none was chosen. */
  'environments.chooseAuthority': { input: none, output: authorityFileSchema.nullable() },
  /** A page of the list (interface: List deployments). */
  'deployments.page': {
    input: z.strictObject({ environmentId: identifierSchema, query: askedQuerySchema }),
    output: deploymentPageSchema,
  },
  /** One deployment, by `deployment_ids` of the list: the interface has no call of its own for it. */
  'deployments.get': {
    input: z.strictObject({ environmentId: identifierSchema, id: z.string().min(1).max(longestFilter) }),
    output: deploymentDetailSchema,
  },
  /** The status of a deployment now, from the service alone: small enough to be asked for again and again. */
  'deployments.status': {
    input: z.strictObject({ environmentId: identifierSchema, id: z.string().min(1).max(longestFilter) }),
    output: z.object({ status: z.string() }),
  },
  /**
   * Creates a deployment (interface: Create a deployment). `confirmedName` is the environment's name as typed,
   * needed where the environment is protected, else null. Never sent again by itself: after an unconfirmed attempt at
   * the same name, `again` must name that one, and the deployment that the user was shown as perhaps being it; else the
   * call fails with `attempt-unclear`, and names the attempt, which may be of another environment. The list is then looked at once more: where it shows something else, or the
   * attempt is settled meanwhile, the call fails with `attempt-changed`. A look that fails does not stop what the user
   * consented to. A secret's value may be a mark of one that is kept with the drafts. Where that was not entered for
   * this environment as it is now, the main process asks the user itself, in a dialog of the system; a value that may not
   * be sent fails with `invalid-input`, and an issue at the secret.
   */
  'deployments.create': {
    input: z.strictObject({
      environmentId: identifierSchema,
      request: createRequestSchema,
      confirmedName: z.string().max(100).nullable(),
      again: z
        .strictObject({ attemptId: identifierSchema, deploymentId: z.string().max(longestFilter).nullable() })
        .nullable()
        .default(null),
    }),
    output: deploymentDetailSchema,
  },
  /**
   * Looks in the list for the deployment of an attempt whose answer was lost, and gives what is known of the attempt
   * then. It is one of the environment, or of another one and at the service that this one leads to. A look that got no answer is noted in the attempt.
   */
  'deployments.lookUp': {
    input: z.strictObject({ environmentId: identifierSchema, attemptId: identifierSchema }),
    output: creationEntrySchema,
  },
  /**
   * Settles an attempt whose answer was lost as having created a deployment that the last look found, because the
   * user says so: what it is like, what is known of it, or that it is one of several, left that open. Gives the attempt as it is known then.
   * Failures: `not-found`; `conflict` where another one was found meanwhile, or nothing is open any more;
   * `other-service` where the environment leads elsewhere now.
   */
  'deployments.claim': {
    input: z.strictObject({
      environmentId: identifierSchema,
      attemptId: identifierSchema,
      deploymentId: z.string().max(longestFilter),
    }),
    output: creationEntrySchema,
  },
  /** The drafts and templates of an environment; values of secrets are marks. Answers soon, if need be without the file. */
  'drafts.list': {
    input: z.strictObject({ environmentId: identifierSchema }),
    output: environmentDraftsSchema,
  },
  /**
   * Keeps a draft as it is now: in memory at once, on disk soon after. `current` makes it the one to show first. Values of
   * secrets are entered for this environment as it is now; a mark keeps what its value was entered for. Beyond
   * `draftLimits`, or with more secrets than a request may have, what was kept of it before stays: the answer says why
   * (`persistence`) and has marks for the secrets all the same.
   */
  'drafts.save': {
    input: z.strictObject({ environmentId: identifierSchema, draft: draftInputSchema, current: z.boolean() }),
    output: savedDraftSchema,
  },
  'drafts.remove': {
    input: z.strictObject({ environmentId: identifierSchema, id: identifierSchema }),
    output: draftsPersistenceSchema,
  },
  /** Adds a template or replaces the one with its identifier; values of secrets are left out. Failure as above. */
  'drafts.saveTemplate': {
    input: z.strictObject({ environmentId: identifierSchema, template: templateInputSchema }),
    output: draftsPersistenceSchema,
  },
  'drafts.removeTemplate': {
    input: z.strictObject({ environmentId: identifierSchema, id: identifierSchema }),
    output: draftsPersistenceSchema,
  },
  /** Asks the keychain for the key of the drafts again; the system may ask for a password. */
  'drafts.retry': { input: none, output: draftsPersistenceSchema },
  /** Answers the event `drafts.flush`: everything that was entered has been told. */
  'drafts.flushed': { input: none, output: nothing },
  /** The repositories of an integration; a listing that succeeds adds it to the environment's known ones. */
  'repositories.list': {
    input: z.strictObject({
      environmentId: identifierSchema,
      integrationId: z.guid('This is not an identifier (UUID).'),
    }),
    output: repositoryListSchema,
  },
  /** A page of the cached list. */
  'cache.page': {
    input: z.strictObject({ environmentId: identifierSchema, request: cachedPageRequestSchema }),
    output: cachedPageSchema,
  },
  /** Removes from the cache what is gone at the service; gives how many. */
  'cache.cleanUp': {
    input: z.strictObject({ environmentId: identifierSchema }),
    output: z.object({ removed: z.int() }),
  },
  /** The cache and its synchronisation; later states come as the event `sync.changed`. */
  'sync.state': { input: z.strictObject({ environmentId: identifierSchema }), output: syncStateSchema },
  /**
   * Begins a full synchronisation of the current environment, or goes on with one that was interrupted; does not wait for
   * its end. Fails with `environment-changed` for any other environment, so that one is synchronised at a time.
   */
  'sync.start': { input: z.strictObject({ environmentId: identifierSchema }), output: nothing },
  'sync.cancel': { input: z.strictObject({ environmentId: identifierSchema }), output: nothing },
  /** How often the environment is synchronised by itself, in minutes; 0 is never. */
  'sync.interval': {
    input: z.strictObject({ environmentId: identifierSchema, minutes: z.literal(syncIntervals) }),
    output: nothing,
  },
  /**
   * The newest entries of the journal that pass the filter, newest first, then older unconfirmed creations: up to `limit`
   * of any name, and as many of the given name, which one of them may block.
   */
  'journal.list': {
    input: z.strictObject({
      limit: z.int().min(1).max(1000),
      name: z.string().max(longestDeploymentName).nullable().default(null),
      filter: journalFilterSchema.default('all'),
    }),
    output: z.array(journalEntrySchema),
  },
  /** Asks for a file with a request, and reads it. Failures: `invalid-input`, `internal`. */
  'requestFile.open': { input: none, output: openedRequestFileSchema },
  /** Asks where to save a request, and saves it. Failures: `disk-full`, `internal`. */
  'requestFile.save': { input: requestFileToSaveSchema, output: savedRequestFileSchema },
  /** What a diagnostics bundle would hold now. */
  'diagnostics.describe': { input: none, output: diagnosticsContentSchema },
  /** Asks where to save a diagnostics bundle, and saves it. Failures: `disk-full`, `internal`. */
  'diagnostics.save': { input: none, output: diagnosticsSavedSchema },
  /** Shows the log files in the system's file manager, once in some seconds. Failure: `internal`. */
  'diagnostics.openLogFolder': { input: none, output: nothing },
  /** Puts a text on the clipboard. */
  'clipboard.write': { input: z.strictObject({ text: z.string().max(5_000_000) }), output: nothing },
  /** Says something through the system, silently; only while the window does not have the focus. */
  'window.notify': {
    input: z.strictObject({ title: z.string().max(1000), body: z.string().max(1000) }),
    output: nothing,
  },
} satisfies Record<CallName, { input: z.ZodType; output: z.ZodType }>

export type CallInput<Name extends CallName> = z.input<(typeof calls)[Name]['input']>
export type ParsedCallInput<Name extends CallName> = z.output<(typeof calls)[Name]['input']>
export type CallOutput<Name extends CallName> = z.output<(typeof calls)[Name]['output']>

/** What the application's menu asks of the window: a screen, a dialog, or to ask again for what the screen shows. */
export type WindowCommand =
  | 'go-deployments'
  | 'go-repositories'
  | 'go-new'
  | 'go-environments'
  | 'go-activity'
  | 'export-diagnostics'
  | 'refresh'

/** Payloads of the events. */
interface EventPayloads {
  'app.state': AppState
  'app.notices': Notices
  'connection.changed': Connection
  'drafts.changed': DraftsPersistence
  /** The application quits: tell what was entered and not told yet. */
  'drafts.flush': null
  'journal.changed': JournalEntry
  'sync.changed': SyncState
  'window.command': WindowCommand
}

export type EventPayload<Name extends EventName> = EventPayloads[Name]
