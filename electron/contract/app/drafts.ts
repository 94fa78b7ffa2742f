import { z } from 'zod'
import { proxySchema, trustSchema } from '../core/network'
import { secretLimits, tooManySecrets } from '../deployment-api/request/request-limits'

/**
 * A mark stands for the value of a secret outside the main process. A secret never reaches the renderer after it was
 * entered, so drafts of earlier sessions come with marks. The renderer also sends a mark instead of a value of this
 * session once the main process has stored it. So the value stays bound to the place that it was entered for, even if
 * the environment is edited. The main process replaces marks when a draft is sent to that place. Each value has a mark
 * of its own, which says nothing about it. It begins with a character that nobody can type.
 */
const markPrefix = '\u0000kept:'

<<<<<<< ours
export const secretMark = (id: string): string => markPrefix + id
||||||| base
export const keptValue = (id: string): string => keptMark + id
=======
export const markFor = (id: string): string => markPrefix + id
>>>>>>> theirs

<<<<<<< ours
/** Whether a secret's value is a mark. */
export const isSecretMark = (value: string): boolean => value.startsWith(markPrefix)
||||||| base
/** Whether a secret's value is a mark that stands for one in the main process. */
export const isKeptValue = (value: string): boolean => value.startsWith(keptMark)
=======
/** Whether the value of a secret is a mark. */
export const isMark = (value: string): boolean => value.startsWith(markPrefix)
>>>>>>> theirs

<<<<<<< ours
/** The identifier in a mark; null if the value isn't a mark. */
export const idOfMark = (value: string): string | null =>
  isSecretMark(value) ? value.slice(markPrefix.length) : null
||||||| base
/** The identifier in a mark; null where the value is no mark. */
export const keptIdOf = (value: string): string | null =>
  isKeptValue(value) ? value.slice(keptMark.length) : null
=======
/** The identifier in a mark; null if the value isn't one. */
export const markedIdOf = (value: string): string | null =>
  isMark(value) ? value.slice(markPrefix.length) : null
>>>>>>> theirs

/**
 * The content of the creation form. Only the secrets are validated. Everything else is the form's own, and may be
 * incomplete.
 */
const draftContentSchema = z.looseObject({
  entered: z.looseObject({
    name: z.string(),
    secrets: z.array(z.looseObject({ name: z.string(), value: z.string() })),
  }),
})

export type DraftContent = z.infer<typeof draftContentSchema>

<<<<<<< ours
/**
 * A draft's content as the page sends it: with no more secrets than a request may have. Saved files may have more.
 */
const contentInputSchema = draftContentSchema.refine(
||||||| base
/** The same as the page may tell it: no request has more secrets. What a file has from before may have more. */
const toldContentSchema = draftContentSchema.refine(
=======
/** The same as input of a call: no request has more secrets. A file of an earlier version may have more. */
const draftContentInputSchema = draftContentSchema.refine(
>>>>>>> theirs
  ({ entered }) => entered.secrets.length <= secretLimits.count,
  { message: tooManySecrets, path: ['entered', 'secrets'] },
)

/** A notice about the source of a draft's content: a title, and what the user should know. */
const draftNotesSchema = z.object({ title: z.string(), items: z.array(z.string()) })

export type DraftNotes = z.infer<typeof draftNotesSchema>

/**
 * The limits of what is stored: drafts of an environment, its templates, bytes (of JSON in UTF-8) of one of them, and
 * of all of all environments together; and in memory, bytes of the secrets of drafts that are too large to store. This
 * is far more than anyone needs. Without limits, a page could fill memory and disk.
 */
export const draftLimits = {
  drafts: 200,
  templates: 200,
  bytes: 4_000_000,
  allBytes: 40_000_000,
  secretsAloneBytes: 20_000_000,
}

<<<<<<< ours
/** A draft as it is stored. `id` never changes. */
const storedDraftSchema = z.strictObject({
||||||| base
/** A creation that was begun. `id` stays the same for as long as the draft lives. */
const keptDraftSchema = z.strictObject({
=======
/** A draft of a creation. `id` stays the same for its whole life. */
const storedDraftSchema = z.strictObject({
>>>>>>> theirs
  id: z.guid(),
  content: draftContentSchema,
  notes: draftNotesSchema.nullable(),
  /** When it was sent in its present form (ISO 8601). This links it to an attempt in the journal. */
  sentAt: z.string().nullable().default(null),
})

export type StoredDraft = z.infer<typeof storedDraftSchema>

<<<<<<< ours
/** A draft as the page sends it. */
export const draftInputSchema = storedDraftSchema.extend({ content: contentInputSchema })
||||||| base
/** A draft as the page tells it. */
export const toldDraftSchema = keptDraftSchema.extend({ content: toldContentSchema })
=======
/** A draft as input of a call. */
export const draftInputSchema = storedDraftSchema.extend({ content: draftContentInputSchema })
>>>>>>> theirs

/** The content for new drafts, without values of secrets. */
const draftTemplateSchema = z.strictObject({
  id: z.guid(),
  name: z.string().trim().min(1, 'Enter a name.').max(200, 'Use at most 200 characters.'),
  content: draftContentSchema,
})

export type DraftTemplate = z.infer<typeof draftTemplateSchema>

<<<<<<< ours
/** A template as the page sends it. */
export const templateInputSchema = draftTemplateSchema.extend({ content: contentInputSchema })
||||||| base
/** A template as the page tells it. */
export const toldTemplateSchema = draftTemplateSchema.extend({ content: toldContentSchema })
=======
/** A template as input of a call. */
export const draftTemplateInputSchema = draftTemplateSchema.extend({ content: draftContentInputSchema })
>>>>>>> theirs

/** Drafts and templates of one environment, oldest first. */
const draftCollectionSchema = z.object({
  drafts: z.array(storedDraftSchema),
  /** The draft that the form showed last; null if there is none. */
  currentId: z.string().nullable(),
  templates: z.array(draftTemplateSchema),
})

export type DraftCollection = z.infer<typeof draftCollectionSchema>

/**
 * What a secret's value was entered for: an environment, and the route to its service at that time. It decides where
 * the value may be sent.
 */
const secretsPlaceSchema = z.object({
  environmentId: z.string(),
  environmentName: z.string(),
  /** Null for a built-in environment: its service runs on this machine, on another port after each start. */
  route: z
    .object({
      baseUrl: z.url(),
      trust: trustSchema,
      /** Without credentials. */
      proxy: proxySchema,
      tenant: z.string().nullable(),
      /** A hash of the request headers: other headers may belong to another account. */
      headers: z.string(),
    })
    .nullable(),
})

export type SecretsPlace = z.infer<typeof secretsPlaceSchema>

/**
 * The content of the drafts file: the drafts and templates of every environment with marks, and the values by the
 * identifiers in their marks.
 */
export const draftsFileSchema = z.object({
  version: z.literal(2),
  environments: z.record(z.string(), draftCollectionSchema),
  values: z.record(
    z.string(),
    z.object({
      value: z.string(),
      /** The name of the secret when its value was entered. */
      name: z.string(),
      /** The places it was entered for, and those that the user has consented to since: positions in `places`. */
      places: z.array(z.int().min(0)),
    }),
  ),
  places: z.array(secretsPlaceSchema),
})

export type DraftsFile = z.infer<typeof draftsFileSchema>

/** The file of the first version. Its drafts contain the values. */
export const firstDraftsFileSchema = z.object({
  version: z.literal(1),
  environments: z.record(z.string(), draftCollectionSchema),
})

/** A file of a later version, which is left unchanged. */
export const newerDraftsFileSchema = z.looseObject({ version: z.int().min(3) })

<<<<<<< ours
/** Where drafts are currently kept. */
export const draftsPersistenceSchema = z.object({
  /** On disk, encrypted; in memory until Slipway closes; or in memory until the keychain answers. */
||||||| base
/** Where drafts are kept at present. */
export const draftsKeepingSchema = z.object({
  /** On disk, encrypted; in memory until Slipway is closed; or in memory until the keychain answers. */
=======
/** Where drafts are stored at present. */
export const draftsPersistenceSchema = z.object({
  /** On disk, encrypted; in memory until Slipway is closed; or in memory until the keychain answers. */
>>>>>>> theirs
  kept: z.enum(['disk', 'session', 'waiting']),
  /** What that means and what to do; null if there is nothing to say. */
  message: z.string().nullable(),
  /** The file with unreadable drafts, if one was set aside in this session. */
  setAside: z.string().nullable(),
})

export type DraftsPersistence = z.infer<typeof draftsPersistenceSchema>

/** The result of saving a draft. */
export const savedDraftSchema = z.object({
<<<<<<< ours
  /** Where it is kept: only in memory if it is too large for the disk. */
  persistence: draftsPersistenceSchema,
||||||| base
  /** Where it is kept; only in memory where it is too much to be kept on disk. */
  keeping: draftsKeepingSchema,
=======
  /** Where it is stored: only in memory if it is too large. */
  persistence: draftsPersistenceSchema,
>>>>>>> theirs
  /**
   * The marks of its secrets from now on, in order; empty for a secret without a value. A value has a mark wherever its
   * draft is stored, even if it isn't known what it was entered for.
   */
  marks: z.array(z.string()),
})

export type SavedDraft = z.infer<typeof savedDraftSchema>

/** The drafts of one environment for the form. Values of secrets are marks. */
export const environmentDraftsSchema = draftCollectionSchema.extend({
  environmentId: z.string(),
  persistence: draftsPersistenceSchema,
})

export type EnvironmentDrafts = z.infer<typeof environmentDraftsSchema>
