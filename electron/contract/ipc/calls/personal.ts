import { z } from 'zod'
import { annotationChangeSchema, annotationSchema } from '../../app/personal/annotations'
import { identifierSchema } from '../../app/environment/environment'
import { lastFiltersChangeSchema, lastFiltersSchema } from '../../app/personal/last-filters'
import { recentChoiceSchema, recentLimits } from '../../app/personal/recent-choices'
import { savedViewSchema, viewContentSchema, viewLimits } from '../../cache/query/views'

/** Input and output of the calls about what operators keep on this machine for themselves. */
export const personalCalls = {
  /**
   * Favourites, labels and notes of deployments of the service that an environment leads to. Failures: the keychain's,
   * `internal`.
   */
  'annotations.list': {
    input: z.strictObject({ environmentId: identifierSchema }),
    output: z.array(annotationSchema),
  },
  /**
   * Changes what is kept about one deployment. Returns what is then on disk. Failures: the keychain's,
   * `environment-changed`, `invalid-input`, `disk-full`, `internal`. A failure changes nothing.
   */
  'annotations.save': { input: annotationChangeSchema, output: annotationSchema },
  /** Answers the event `annotations.flush`: the unfinished note is saved, or can't be. */
  'annotations.flushed': { input: z.strictObject({}), output: z.null() },
  /** The saved views of all environments. Failures: the keychain's, `internal`. */
  'views.list': { input: z.strictObject({}), output: z.array(savedViewSchema) },
  /**
   * Adds views, or replaces those with the same identifiers: all or none. Returns all views. Failures: those of
   * `annotations.save`, and `not-found` for an environment that is gone.
   */
  'views.save': {
    input: z.strictObject({ views: z.array(savedViewSchema).min(1).max(viewLimits.count) }),
    output: z.array(savedViewSchema),
  },
  /** Removes views: all or none. Returns the others. */
  'views.remove': {
    input: z.strictObject({ ids: z.array(identifierSchema).min(1).max(viewLimits.count) }),
    output: z.array(savedViewSchema),
  },
  /**
   * Saves views to a file that the operator chooses. The file names no environment. Null if the operator cancels.
   * Failures: `not-found`, `not-allowed` if a view has a stored secret or an environment's address, `disk-full`,
   * `internal`.
   */
  'views.share': {
    input: z.strictObject({ ids: z.array(identifierSchema).min(1).max(viewLimits.count) }),
    output: z.object({ path: z.string().nullable() }),
  },
  /**
   * Reads views from a file that the operator chooses, and adds none of them. Failures: `invalid-input`, `internal`.
   */
  'views.read': {
    input: z.strictObject({}),
    output: z.object({ fileName: z.string(), views: z.array(viewContentSchema) }).nullable(),
  },
  /**
   * The filters that the list of an environment was left with, for the service that it leads to; null without any.
   * Answers within the time that a start may wait. Failures: the keychain's, `internal`.
   */
  'lastFilters.read': {
    input: z.strictObject({ environmentId: identifierSchema }),
    output: lastFiltersSchema.nullable(),
  },
  /** Remembers the filters of a list soon, if that is possible. Failure: `environment-changed`. */
  'lastFilters.save': { input: lastFiltersChangeSchema, output: z.null() },
  /**
   * What was chosen in the command palette, the latest first. Only deployments of the service that the environment
   * leads to are included. Failures: the keychain's, `internal`.
   */
  'recents.list': {
    input: z.strictObject({ environmentId: identifierSchema }),
    output: z.array(recentChoiceSchema).max(recentLimits.count),
  },
  /** Remembers a choice soon, if that is possible. Failure: `environment-changed`. */
  'recents.add': {
    input: z.strictObject({
      environmentId: identifierSchema,
      /** Where the environment led when the page read the deployment (`Environment.service`). */
      service: z.string().max(1_000).nullable(),
      choice: recentChoiceSchema,
    }),
    output: z.null(),
  },
}
