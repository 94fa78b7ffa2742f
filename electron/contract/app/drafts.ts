import { z } from 'zod'
import { proxySchema, trustSchema } from '../core/network'
import { secretLimits, tooManySecrets } from '../deployment-api/request/create-request'

/**
 * A secret value that was entered in an earlier session stays in the main process, since a secret never reaches the
 * renderer after it was entered (design: "Secret values in answers: never shown", and the same for what is stored). In
 * its place the renderer has this mark, which main replaces by the value when the draft is sent to where the value was
 * entered for. What was entered in this session it tells and sends by the mark as well, once it is told: so it stays
 * bound to that, whatever becomes of the environment. Each value has a mark of its own, which tells nothing of it. It
 * begins with a character that nobody can type.
 */
const markPrefix = '\u0000kept:'

export const secretMark = (id: string): string => markPrefix + id

/** Whether a secret's value is a mark that stands for one in the main process. */
export const isSecretMark = (value: string): boolean => value.startsWith(markPrefix)

/** The identifier in a mark; null where the value is no mark. */
export const idOfMark = (value: string): string | null =>
  isSecretMark(value) ? value.slice(markPrefix.length) : null

/**
 * What has been entered in the creation form. Only the secrets are looked into; everything else is the form's own, and
 * may be anything that cannot be sent yet.
 */
const draftContentSchema = z.looseObject({
  entered: z.looseObject({
    name: z.string(),
    secrets: z.array(z.looseObject({ name: z.string(), value: z.string() })),
  }),
})

export type DraftContent = z.infer<typeof draftContentSchema>

/** The same as the page may tell it: no request has more secrets. What a file has from before may have more. */
const contentInputSchema = draftContentSchema.refine(
  ({ entered }) => entered.secrets.length <= secretLimits.count,
  { message: tooManySecrets, path: ['entered', 'secrets'] },
)

/** What is said about what a draft was filled in from: where from, and what is to be known. */
const draftNotesSchema = z.object({ title: z.string(), items: z.array(z.string()) })

export type DraftNotes = z.infer<typeof draftNotesSchema>

/**
 * What is kept at most: drafts of an environment, its templates, bytes (of JSON in UTF-8) of one of them, and of all of
 * all environments together; and in memory, bytes of the secrets of drafts that are too much to be kept. Far more than
 * anybody needs; without limits a page could fill memory and disk.
 */
export const draftLimits = {
  drafts: 200,
  templates: 200,
  bytes: 4_000_000,
  allBytes: 40_000_000,
  secretsAloneBytes: 20_000_000,
}

/** A creation that was begun. `id` stays the same for as long as the draft lives. */
const storedDraftSchema = z.strictObject({
  id: z.guid(),
  content: draftContentSchema,
  notes: draftNotesSchema.nullable(),
  /** When it was sent as it is here (ISO 8601), by which an attempt in the journal is known to be its. */
  sentAt: z.string().nullable().default(null),
})

export type StoredDraft = z.infer<typeof storedDraftSchema>

/** A draft as the page tells it. */
export const draftInputSchema = storedDraftSchema.extend({ content: contentInputSchema })

/** Something to begin drafts from, without values of secrets. */
const draftTemplateSchema = z.strictObject({
  id: z.guid(),
  name: z.string().trim().min(1, 'Enter a name.').max(200, 'Use at most 200 characters.'),
  content: draftContentSchema,
})

export type DraftTemplate = z.infer<typeof draftTemplateSchema>

/** A template as the page tells it. */
export const templateInputSchema = draftTemplateSchema.extend({ content: contentInputSchema })

/** Drafts and templates of one environment, in the order in which they were begun. */
const draftCollectionSchema = z.object({
  drafts: z.array(storedDraftSchema),
  /** The draft that the form showed last; null where there is none. */
  currentId: z.string().nullable(),
  templates: z.array(draftTemplateSchema),
})

export type DraftCollection = z.infer<typeof draftCollectionSchema>

/**
 * What the secrets of a deployment are entered for: an environment, and the way to its service then. Where they may go
 * is judged by it.
 */
const secretsPlaceSchema = z.object({
  environmentId: z.string(),
  environmentName: z.string(),
  /** Null for a built-in environment: its service is on this machine, and listens on another port after each start. */
  route: z
    .object({
      baseUrl: z.url(),
      trust: trustSchema,
      /** Without its credentials. */
      proxy: proxySchema,
      tenant: z.string().nullable(),
      /** A hash of the request headers: who signs in otherwise may do so for another account. */
      headers: z.string(),
    })
    .nullable(),
})

export type SecretsPlace = z.infer<typeof secretsPlaceSchema>

/**
 * What the file of the main process holds: the collection of every environment with marks, and the values that the marks
 * stand for, by the identifiers in them.
 */
export const draftsFileSchema = z.object({
  version: z.literal(2),
  environments: z.record(z.string(), draftCollectionSchema),
  values: z.record(
    z.string(),
    z.object({
      value: z.string(),
      /** The name that the secret had when its value was entered. */
      name: z.string(),
      /** What it was entered for, and what the user has agreed to since: positions in `places`. */
      places: z.array(z.int().min(0)),
    }),
  ),
  places: z.array(secretsPlaceSchema),
})

export type DraftsFile = z.infer<typeof draftsFileSchema>

/** The file of the first version, whose drafts have the values themselves. */
export const firstDraftsFileSchema = z.object({
  version: z.literal(1),
  environments: z.record(z.string(), draftCollectionSchema),
})

/** A file of a later version, which is left as it is. */
export const newerDraftsFileSchema = z.looseObject({ version: z.int().min(3) })

/** Where drafts are kept at present. */
export const draftsPersistenceSchema = z.object({
  /** On disk, encrypted; in memory until Slipway is closed; or in memory until the keychain answers. */
  kept: z.enum(['disk', 'session', 'waiting']),
  /** What it means and what to do; null while there is nothing to say. */
  message: z.string().nullable(),
  /** The file with drafts that could not be read, where one was set aside in this session. */
  setAside: z.string().nullable(),
})

export type DraftsPersistence = z.infer<typeof draftsPersistenceSchema>

/** What became of a draft that was told. */
export const savedDraftSchema = z.object({
  /** Where it is kept; only in memory where it is too much to be kept on disk. */
  persistence: draftsPersistenceSchema,
  /**
   * The marks that stand for the values of its secrets from now on, in their order; empty where there is no value. A value
   * has one wherever its draft is kept, and also where it is not known what it was entered for.
   */
  marks: z.array(z.string()),
})

export type SavedDraft = z.infer<typeof savedDraftSchema>

/** The drafts of one environment as the form gets them: secret values are marks. */
export const environmentDraftsSchema = draftCollectionSchema.extend({
  environmentId: z.string(),
  persistence: draftsPersistenceSchema,
})

export type EnvironmentDrafts = z.infer<typeof environmentDraftsSchema>
