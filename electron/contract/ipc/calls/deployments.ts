import { z } from 'zod'
import {
  type ConnectionCheck,
  type Environment,
  environmentInputSchema,
  environmentsToSaveSchema,
  identifierSchema,
  type KeychainState,
  type OpenedEnvironments,
  type SavedEnvironments,
} from '../../app/environment'
import { exportRequestSchema, type ExportResult } from '../../cache/query'
import {
  hasShortFilters,
  listQuerySchema,
  longestFilter,
  tooLongFilter,
} from '../../deployment-api/deployment'
import { createRequestSchema } from '../../deployment-api/request/create-request'
import type { PageEnd } from '../../deployment-api/list'
import type { UnreadableItem } from '../../deployment-api/reading'
import type { DeploymentSummary } from '../../deployment-api/reading/summarise'
import type { DeploymentDetail } from '../../cache/answers'
import type { ChangeEntry, CreationEntry } from '../../app/journal'
import type { AuthorityFile } from '../../core/network'
import { type ChangeReview, changeSchema } from '../../life/changes'
import { type LogPage, logTypeSchema } from '../../life/logs'
import { type Offers, writes } from '../../life/offers'
import { longestSavedLog } from '../../life/rules'
import type { FailedRevision, RevisionPage } from '../../life/revisions'
import type { FormChoices } from '../../life/choices'
import { call, callWith, environmentId } from './call'

/** A page of an environment's list. */
export interface DeploymentPage {
  environmentId: string
  offset: number
  received: number
  deployments: DeploymentSummary[]
  unreadable: UnreadableItem[]
  /** Null at the end; `end` then has the reason. */
  nextOffset: number | null
  end: PageEnd | null
  /** ISO 8601. */
  fetchedAt: string
}

/** A list query as the page may send it. */
const requestedQuerySchema = listQuerySchema.refine(hasShortFilters, tooLongFilter)

const deployment = { environmentId, id: z.string().min(1).max(longestFilter) }

/** The name of a protected environment as typed. */
const confirmedName = z.string().max(100).nullable()

/** Input and output of the calls about deployments of a service. */
export const deploymentCalls = {
  /** A page of the list (interface: List deployments). */
  'deployments.page': call<DeploymentPage>()({ environmentId, query: requestedQuerySchema }),
  /** One deployment, by the list's `deployment_ids`, because the interface has no call for it. */
  'deployments.get': call<DeploymentDetail>()(deployment),
  /** The current status of a deployment, only from the service. Small enough for polling. */
  'deployments.status': call<{ status: string }>()(deployment),
  /**
   * Creates a deployment (interface: Create a deployment). The request is never repeated automatically. `confirmedName`
   * is the name of a protected environment as typed, else null. After an unconfirmed attempt at the same name, `again`
   * names that one, the deployment that was shown as perhaps being it, and how many consents it had before. Another
   * lookup precedes the request, but if that lookup fails, the request is sent anyway, as the operator agreed. A
   * secret's value may be the mark of a value that is kept with the drafts.
   *
   * Failures: `not-allowed` in a read-only environment; `confirmation-needed`; `attempt-unconfirmed` if `again` is
   * missing: the failure names the attempt, which may be of another environment; `attempt-changed` if the list now
   * shows something else, the attempt was settled meanwhile, or this consent was used (`sentAgain`); `invalid-input`,
   * with an issue at a secret that was entered for another environment, or before an edit; the service's.
   */
  'deployments.create': call<DeploymentDetail>()({
    environmentId,
    request: createRequestSchema,
    confirmedName,
    again: z
      .strictObject({
        attemptId: identifierSchema,
        deploymentId: z.string().max(longestFilter).nullable(),
        sentAgain: z.number().int().nonnegative(),
      })
      .nullable()
      .default(null),
  }),
  /**
   * Looks in the list for the deployment of an unconfirmed attempt. Returns what is then known of the attempt, which
   * may be another environment's if this one leads to the same service. The attempt also records a lookup that got no
   * answer.
   */
  'deployments.lookUp': call<CreationEntry>()({ environmentId, attemptId: identifierSchema }),
  /**
   * Settles an unconfirmed attempt as created, because the operator says that a deployment of the last lookup is it.
   * Returns what is then known of the attempt. Failures: `not-found`; `conflict` if another deployment was found
   * meanwhile, or the attempt was settled; `other-service` if the environment now leads elsewhere.
   */
  'deployments.claim': call<CreationEntry>()({
    environmentId,
    attemptId: identifierSchema,
    deploymentId: z.string().max(longestFilter),
  }),
  /**
   * Settles an unconfirmed attempt without a result, because the operator says that nothing is left to find out: its
   * name can be sent without consent. Returns the attempt. Failures: `not-found`; `conflict` if it was settled
   * meanwhile.
   */
  'deployments.dismiss': call<CreationEntry>()({ environmentId, attemptId: identifierSchema }),
  /**
   * Asks where to save, and writes every deployment of a list there, in the list's order. Reports progress by the event
   * `export.progress`. A cancelled or failed export leaves no file behind and doesn't change an existing one. Failures:
   * those of `deployments.page` and `cache.page`, `disk-full`, `internal`.
   */
  'deployments.export': call<ExportResult>()({ environmentId, request: exportRequestSchema }),
  /** Shows the file of the last export in the system's file manager. Failure: `not-found`. */
  'deployments.showExport': call<null>()({}),
}

/** Input and output of the calls about environments. */
export const environmentCalls = {
  /** Adds or changes an environment. Failures: `invalid-input`, `not-found`, the keychain's. */
  'environments.save': callWith<Environment>()(environmentInputSchema),
  /**
   * Forgets an environment, its keychain entry and its session's data. `confirmedName` is the environment's name as
   * typed: without it, one that is protected, or whose profile can't be read, fails with `confirmation-needed`.
   */
  'environments.remove': call<null>()({
    id: identifierSchema,
    confirmedName,
  }),
  /**
   * Makes an environment the current one and cancels calls of the one before. Failures: `not-found`; `internal` if
   * the next start won't know of it.
   */
  'environments.select': call<null>()({ id: identifierSchema }),
  /**
   * Puts the environments that the operator added into this order; those that aren't named come after them. The
   * built-in ones stay first. Failure: `internal` if the next start won't know of it.
   */
  'environments.reorder': call<null>()({ ids: z.array(identifierSchema).max(1_000) }),
  /**
   * Lets the operator choose a file with environments, and reads it; null if they chose none. Nothing is added.
   * Failures: `invalid-input`, `internal`.
   */
  'environments.openFile': call<OpenedEnvironments | null>()({}),
  /**
   * Lets the operator choose where to save environments without secrets, and saves them. Failures: `not-found`,
   * `disk-full`, `internal`.
   */
  'environments.saveFile': callWith<SavedEnvironments>()(environmentsToSaveSchema),
  /** Requests one deployment from the service of an environment that isn't saved yet, in a temporary session. */
  'environments.check': callWith<ConnectionCheck>()(environmentInputSchema),
  /** Asks the keychain again, after it was locked, missing or unresponsive. */
  'environments.retryKeychain': call<KeychainState>()({}),
  /**
   * Makes an environment trust exactly the certificate that its service showed and that was refused
   * (`RefusedCertificate.id`). The main process asks the operator in a system dialog, because the stored headers will
   * be sent to that certificate's owner. Failures: `cancelled` if the operator said no; `not-found` if the refusal is
   * no longer known; those of saving.
   */
  'environments.trust': call<Environment>()({ id: identifierSchema, refusalId: z.string().max(100) }),
  /** Reads and checks the certificate of a private authority. Failure: `invalid-input`, which says what is wrong. */
  'environments.readAuthority': call<AuthorityFile>()({ pem: z.string().max(1_000_000) }),
  /** Lets the operator choose the file of such a certificate. Null if they chose none. */
  'environments.chooseAuthority': call<AuthorityFile | null>()({}),
}

/** Input and output of the calls about the life of a deployment, where the service offers more than the interface. */
export const lifeCalls = {
  /**
   * What the service of an environment offers. It is found out by reading only: its document, or else requests about
   * the deployment. Kept for a day, unless `again`.
   */
  'life.offers': call<Offers>()({ ...deployment, again: z.boolean().default(false) }),
  /** What is kept of that for any environment; null if nothing is. Asks no service. Failures: the keychain's. */
  'life.keptOffers': call<Offers | null>()({ environmentId }),
  /**
   * Switches on the writes of a service that has no document: these and no others. Failures: `environment-changed` if
   * nothing is kept of the service that the environment leads to; the keychain's; `disk-full`.
   */
  'life.switchOn': call<Offers>()({ environmentId, writes: z.array(z.enum(writes)).max(10) }),
  /**
   * Integrations and listeners as far as the service of an environment lists them. `id` is a deployment that it has, to
   * find out what it offers; null to ask only where that is known.
   */
  'life.choices': call<FormChoices>()({ environmentId, id: deployment.id.nullable() }),
  /** A page of a deployment's revisions, newest first. Failure: `not-allowed` if the service doesn't offer them. */
  'life.revisions': call<RevisionPage>()({
    ...deployment,
    offset: z.int().min(0),
    limit: z.int().min(1).max(100),
  }),
  /**
   * Which of these deployments' latest revision failed, as far as the service of any environment says. A revision that
   * has ended is read once, another one every five minutes at most. Failures: those of reading the environment's
   * profile.
   */
  'life.failed': call<FailedRevision[]>()({
    environmentId,
    deployments: z
      .array(z.strictObject({ id: deployment.id, latestRevisionId: z.string().min(1).max(500) }))
      .max(100),
  }),
  /**
   * A part of a revision's log. Without `from`, its newest lines; with the `next` of a part, the lines before it.
   * Failure: `not-allowed` if the service offers no logs.
   */
  'life.log': call<LogPage>()({
    ...deployment,
    revisionId: z.string().min(1).max(500),
    type: logTypeSchema,
    from: z.string().max(2_000).nullable(),
  }),
  /**
   * What a change would do, from what the service says now. Sends nothing. Failures: `not-allowed` if the service
   * doesn't offer it; `invalid-input` with an issue for each value that the service hides and that must be entered.
   */
  'life.review': call<ChangeReview>()({ ...deployment, change: changeSchema }),
  /**
   * Makes a change, once. Gives its entry in the journal: `done`, or `unconfirmed` if the answer was lost and what the
   * service says afterwards doesn't show it. `confirmedName` is the name of a protected environment as typed, else
   * null; `deploymentName` that of a deployment to delete. Failures: `attempt-changed` if the deployment isn't as
   * `seen` any more: review it again; `not-allowed` in a read-only environment; `confirmation-needed`; those of
   * `life.review`; the service's refusal.
   */
  'life.change': call<ChangeEntry>()({
    ...deployment,
    change: changeSchema,
    seen: z.string().max(100),
    confirmedName,
    deploymentName: z.string().max(2_000).nullable(),
  }),
  /** Looks again whether an unconfirmed change was made, and gives its entry. Failure: `not-found`. */
  'life.lookUp': call<ChangeEntry>()({ environmentId, entryId: identifierSchema }),
  /** Asks where to save, and writes the shown part of a log there. Failures: `disk-full`, `internal`. */
  'life.saveLog': call<{ path: string | null }>()({
    baseName: z.string().max(1_000),
    text: z.string().max(longestSavedLog),
  }),
}
