import { z } from 'zod'
import { identifierSchema } from '../../app/environment'
import { exportRequestSchema, type ExportResult } from '../../cache/query'
import {
  hasShortFilters,
  listQuerySchema,
  longestFilter,
  tooLongFilter,
} from '../../deployment-api/list-query'
import { createRequestSchema } from '../../deployment-api/request/create-request'
import type { DeploymentSummary } from '../../deployment-api/deployment'
import type { UnreadableItem } from '../../deployment-api/reading'
import { gives } from './gives'
import type { DeploymentDetail } from '../../cache/answers'
import type { CreationEntry } from '../../app/journal'

/** A page of the list. `nextOffset` is null at the end; `end` then says how the end was recognised. */
export interface DeploymentPage {
  environmentId: string
  offset: number
  received: number
  deployments: DeploymentSummary[]
  unreadable: UnreadableItem[]
  nextOffset: number | null
  end: 'short' | 'empty' | 'stuck' | null
  fetchedAt: string
}

/** A list query as the page may send it. */
const requestedQuerySchema = listQuerySchema.refine(hasShortFilters, tooLongFilter)

/** Input and output of the calls about deployments of a service. */
export const deploymentCalls = {
  /** A page of the list (interface: List deployments). */
  'deployments.page': {
    input: z.strictObject({ environmentId: identifierSchema, query: requestedQuerySchema }),
    output: gives<DeploymentPage>(),
  },
  /** One deployment, by the list's `deployment_ids`, because the interface has no call for it. */
  'deployments.get': {
    input: z.strictObject({ environmentId: identifierSchema, id: z.string().min(1).max(longestFilter) }),
    output: gives<DeploymentDetail>(),
  },
  /** The current status of a deployment, only from the service. Small enough for polling. */
  'deployments.status': {
    input: z.strictObject({ environmentId: identifierSchema, id: z.string().min(1).max(longestFilter) }),
    output: gives<{ status: string }>(),
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
    output: gives<DeploymentDetail>(),
  },
  /**
   * Looks in the list for the deployment of an unconfirmed attempt. Returns what is then known of the attempt, which
   * may be another environment's if this one leads to the same service. The attempt also records a lookup that got no
   * answer.
   */
  'deployments.lookUp': {
    input: z.strictObject({ environmentId: identifierSchema, attemptId: identifierSchema }),
    output: gives<CreationEntry>(),
  },
  /**
   * Settles an unconfirmed attempt as created, because the operator says that a deployment of the last lookup is it.
   * Returns what is then known of the attempt. Failures: `not-found`; `conflict` if another deployment was found
   * meanwhile, or the attempt was settled; `other-service` if the environment now leads elsewhere.
   */
  'deployments.claim': {
    input: z.strictObject({
      environmentId: identifierSchema,
      attemptId: identifierSchema,
      deploymentId: z.string().max(longestFilter),
    }),
    output: gives<CreationEntry>(),
  },
  /**
   * Settles an unconfirmed attempt without a result, because the operator says that nothing is left to find out: its
   * name can be sent without consent. Returns the attempt. Failures: `not-found`; `conflict` if it was settled
   * meanwhile.
   */
  'deployments.dismiss': {
    input: z.strictObject({ environmentId: identifierSchema, attemptId: identifierSchema }),
    output: gives<CreationEntry>(),
  },
  /**
   * Asks where to save, and writes every deployment of a list there, in the list's order. Reports progress by the event
   * `export.progress`. A cancelled or failed export leaves no file behind and doesn't change an existing one. Failures:
   * those of `deployments.page` and `cache.page`, `disk-full`, `internal`.
   */
  'deployments.export': {
    input: z.strictObject({ environmentId: identifierSchema, request: exportRequestSchema }),
    output: gives<ExportResult>(),
  },
  /** Shows the file of the last export in the system's file manager. Failure: `not-found`. */
  'deployments.showExport': { input: z.strictObject({}), output: gives<null>() },
}
