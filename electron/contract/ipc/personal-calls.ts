import { z } from 'zod'
import { annotationChangeSchema, annotationSchema } from '../app/annotations'
import { identifierSchema } from '../app/environment'

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
}
