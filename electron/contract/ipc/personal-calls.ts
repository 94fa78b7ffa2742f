import { z } from 'zod'
import { annotationChangeSchema, annotationSchema } from '../app/annotations'
import { identifierSchema } from '../app/environment'
import { savedViewSchema, viewContentSchema, viewLimits } from '../cache/views'

/** Input and output of the calls about what operators keep for themselves on this machine. */
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
   * Changes that of one deployment; gives what is on the disk then. Failures: the keychain's, `environment-changed`,
   * `invalid-input`, `disk-full`, `internal`. Nothing is changed then.
   */
  'annotations.save': { input: annotationChangeSchema, output: annotationSchema },
  /** Answers the event `annotations.flush`: the note that was being typed is saved, or can't be. */
  'annotations.flushed': { input: z.strictObject({}), output: z.null() },
  /** The saved views of all environments. Failures: the keychain's, `internal`. */
  'views.list': { input: z.strictObject({}), output: z.array(savedViewSchema) },
  /**
   * Adds views, or replaces those with their identifiers: all or none. Gives all views. Failures: those of
   * `annotations.save`, and `not-found` for an environment that is gone.
   */
  'views.save': {
    input: z.strictObject({ views: z.array(savedViewSchema).min(1).max(viewLimits.count) }),
    output: z.array(savedViewSchema),
  },
  /** Removes a view. Gives the others. */
  'views.remove': { input: z.strictObject({ id: identifierSchema }), output: z.array(savedViewSchema) },
  /**
   * Saves views to a file, which names no environment, where the user chooses; null if they cancel. Failures: `not-found`,
   * `not-allowed` if a view has a stored secret or an environment's address, `disk-full`, `internal`.
   */
  'views.share': {
    input: z.strictObject({ ids: z.array(identifierSchema).min(1).max(viewLimits.count) }),
    output: z.object({ path: z.string().nullable() }),
  },
  /** Reads a file with views that the user chooses, and adds nothing. Failures: `invalid-input`, `internal`. */
  'views.read': {
    input: z.strictObject({}),
    output: z.object({ fileName: z.string(), views: z.array(viewContentSchema) }).nullable(),
  },
}
