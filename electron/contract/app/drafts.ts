import { z } from 'zod'
import { secretLimits, tooManySecrets } from '../deployment-api/request/limits'

/**
 * A mark stands for a secret's value outside the main process. The main process replaces it with the value when the
 * draft is sent to the place that the value was entered for. Saved values never come back to the renderer: once a page
 * was loaded again, the draft was copied or its environment was edited, it has only their marks.
 *
 * Each value has its own mark, which reveals nothing about it. The first character can't be typed.
 */
const markPrefix = '\u0000kept:'

export const secretMark = (id: string): string => markPrefix + id

export const isSecretMark = (value: string): boolean => value.startsWith(markPrefix)

/** The identifier in a mark. Null if the value isn't a mark. */
export const idOfMark = (value: string): string | null =>
  isSecretMark(value) ? value.slice(markPrefix.length) : null

/**
 * What was entered into the creation form. Only the name and the secrets are validated. The rest belongs to the form,
 * and may not be a valid request yet.
 */
const draftContentSchema = z.looseObject({
  entered: z.looseObject({
    name: z.string(),
    secrets: z.array(z.looseObject({ name: z.string(), value: z.string() })),
  }),
})

export type DraftContent = z.infer<typeof draftContentSchema>

/**
 * A draft's content as the page sends it: with no more secrets than a request may have.
 */
const contentInputSchema = draftContentSchema.refine(
  ({ entered }) => entered.secrets.length <= secretLimits.count,
  { message: tooManySecrets, path: ['entered', 'secrets'] },
)

/** What a draft was filled in from, and what to check about it. */
const draftNotesSchema = z.object({ title: z.string(), items: z.array(z.string()) })

export type DraftNotes = z.infer<typeof draftNotesSchema>

/**
 * Limits for drafts and templates of each environment; and for the bytes (of JSON in UTF-8) of one of them, and of all
 * of them in all environments. They are far beyond any real need. They keep the write of all drafts at once from
 * blocking the main process noticeably. A file beyond them is still read.
 */
export const draftLimits = {
  drafts: 200,
  templates: 200,
  bytes: 4_000_000,
  allBytes: 8_000_000,
}

/** A draft as it is stored. `id` never changes. */
const storedDraftSchema = z.strictObject({
  id: z.guid(),
  content: draftContentSchema,
  notes: draftNotesSchema.nullable(),
  /** When exactly this content was sent (ISO 8601). The journal's attempts find their draft by it. */
  sentAt: z.string().nullable().default(null),
})

export type StoredDraft = z.infer<typeof storedDraftSchema>

export const draftInputSchema = storedDraftSchema.extend({ content: contentInputSchema })

/** A template, without values of secrets. */
const draftTemplateSchema = z.strictObject({
  id: z.guid(),
  name: z.string().trim().min(1, 'Enter a name.').max(200, 'Use at most 200 characters.'),
  content: draftContentSchema,
})

export type DraftTemplate = z.infer<typeof draftTemplateSchema>

export const templateInputSchema = draftTemplateSchema.extend({ content: contentInputSchema })

/** Drafts and templates of one environment, oldest first. */
export interface DraftCollection {
  drafts: StoredDraft[]
  /** The draft that the form showed last; null if there is none. */
  currentId: string | null
  templates: DraftTemplate[]
}

/**
 * A row as it is stored: a draft or a template with marks, which draft of an environment the form showed last, or the
 * value that a mark stands for.
 */
export type StoredDraftRow =
  | { kind: 'draft'; environmentId: string; draft: StoredDraft }
  | { kind: 'template'; environmentId: string; template: DraftTemplate }
  | { kind: 'current'; environmentId: string; currentId: string }
  /** `place` is what the value was entered for; null if that wasn't known. */
  | { kind: 'value'; id: string; value: string; place: string | null }

export interface DraftsPersistence {
  /** On disk, encrypted; in memory until Slipway closes; or in memory until the keychain answers. */
  storage: 'disk' | 'session' | 'waiting'
  /** What that means and what to do; null if there is nothing to say. */
  message: string | null
}

/** The drafts of one environment as the form gets them: values of secrets are marks. */
export interface EnvironmentDrafts extends DraftCollection {
  environmentId: string
  persistence: DraftsPersistence
}
