import { z } from 'zod'
import { identifierSchema } from '../../app/environment'
import { longestFilter } from '../../deployment-api/list-query'
import { changeSchema, type ChangeReview } from '../../life/changes'
import { logTypeSchema, type LogPage } from '../../life/logs'
import { writes, type Offers } from '../../life/offers'
import { longestSavedLog } from '../../life/rules'
import { gives } from './gives'
import type { RevisionPage, FailedRevision } from '../../life/revisions'
import type { ChangeEntry } from '../../app/journal'
import type { FormChoices } from '../../life/choices'

const deployment = { environmentId: identifierSchema, id: z.string().min(1).max(longestFilter) }

/** Input and output of the calls about the life of a deployment, where the service offers more than the interface. */
export const lifeCalls = {
  /**
   * What the service of an environment offers. It is found out by reading only: its document, or else requests about
   * the deployment. Kept for a day, unless `again`.
   */
  'life.offers': {
    input: z.strictObject({ ...deployment, again: z.boolean().default(false) }),
    output: gives<Offers>(),
  },
  /** What is kept of that for any environment; null if nothing is. Asks no service. Failures: the keychain's. */
  'life.keptOffers': {
    input: z.strictObject({ environmentId: identifierSchema }),
    output: gives<Offers | null>(),
  },
  /**
   * Switches on the writes of a service that has no document: these and no others. Failures: `environment-changed` if
   * nothing is kept of the service that the environment leads to; the keychain's; `disk-full`.
   */
  'life.switchOn': {
    input: z.strictObject({ environmentId: identifierSchema, writes: z.array(z.enum(writes)).max(10) }),
    output: gives<Offers>(),
  },
  /**
   * Integrations and listeners as far as the service of an environment lists them. `id` is a deployment that it has, to
   * find out what it offers; null to ask only where that is known.
   */
  'life.choices': {
    input: z.strictObject({ environmentId: identifierSchema, id: deployment.id.nullable() }),
    output: gives<FormChoices>(),
  },
  /** A page of a deployment's revisions, newest first. Failure: `not-allowed` if the service doesn't offer them. */
  'life.revisions': {
    input: z.strictObject({ ...deployment, offset: z.int().min(0), limit: z.int().min(1).max(100) }),
    output: gives<RevisionPage>(),
  },
  /**
   * Which of these deployments' latest revision failed, as far as the service of any environment says. A revision that
   * has ended is read once, another one every five minutes at most. Failures: those of reading the environment's
   * profile.
   */
  'life.failed': {
    input: z.strictObject({
      environmentId: identifierSchema,
      deployments: z
        .array(z.strictObject({ id: deployment.id, latestRevisionId: z.string().min(1).max(500) }))
        .max(100),
    }),
    output: gives<FailedRevision[]>(),
  },
  /**
   * A part of a revision's log. Without `from`, its newest lines; with the `next` of a part, the lines before it.
   * Failure: `not-allowed` if the service offers no logs.
   */
  'life.log': {
    input: z.strictObject({
      ...deployment,
      revisionId: z.string().min(1).max(500),
      type: logTypeSchema,
      from: z.string().max(2_000).nullable(),
    }),
    output: gives<LogPage>(),
  },
  /**
   * What a change would do, from what the service says now. Sends nothing. Failures: `not-allowed` if the service
   * doesn't offer it; `invalid-input` with an issue for each value that the service hides and that must be entered.
   */
  'life.review': {
    input: z.strictObject({ ...deployment, change: changeSchema }),
    output: gives<ChangeReview>(),
  },
  /**
   * Makes a change, once. Gives its entry in the journal: `done`, or `unclear` if the answer was lost and what the
   * service says afterwards doesn't show it. `confirmedName` is the name of a protected environment as typed, else
   * null; `deploymentName` that of a deployment to delete. Failures: `attempt-changed` if the deployment isn't as
   * `seen` any more: review it again; `not-allowed` in a read-only environment; `confirmation-needed`; those of
   * `life.review`; the service's refusal.
   */
  'life.change': {
    input: z.strictObject({
      ...deployment,
      change: changeSchema,
      seen: z.string().max(100),
      confirmedName: z.string().max(100).nullable(),
      deploymentName: z.string().max(2_000).nullable(),
    }),
    output: gives<ChangeEntry>(),
  },
  /** Looks again whether an unconfirmed change was made, and gives its entry. Failure: `not-found`. */
  'life.lookUp': {
    input: z.strictObject({ environmentId: identifierSchema, entryId: identifierSchema }),
    output: gives<ChangeEntry>(),
  },
  /** Asks where to save, and writes the shown part of a log there. Failures: `disk-full`, `internal`. */
  'life.saveLog': {
    input: z.strictObject({ baseName: z.string().max(1_000), text: z.string().max(longestSavedLog) }),
    output: gives<{ path: string | null }>(),
  },
}
