import { z } from 'zod'
import {
  draftInputSchema,
  draftsPersistenceSchema,
  environmentDraftsSchema,
  savedDraftSchema,
  templateInputSchema,
} from '../../app/drafts'
import { identifierSchema } from '../../app/environment/environment'

/** Input and output of the calls about drafts and templates. */
export const draftCalls = {
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
  'drafts.retry': { input: z.strictObject({}), output: draftsPersistenceSchema },
  /** Answers the event `drafts.flush`: everything that was entered has been saved. */
  'drafts.flushed': { input: z.strictObject({}), output: z.null() },
}
