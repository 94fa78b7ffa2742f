import { z } from 'zod'

/** The version of the lines that this Slipway writes. */
export const journalLineVersion = 2

const lineHead = {
  v: z.literal(journalLineVersion),
  /** The number of the line, and a hash of everything before it in the file. */
  n: z.int().min(1),
  prev: z.string(),
}

/** A line of the journal's file, with its entry encrypted or plain. */
export const sealedLineSchema = z.strictObject({ ...lineHead, sealed: z.base64() })
export const plainLineSchema = z.strictObject({ ...lineHead, entry: z.unknown() })

/** An encrypted line of the first version, whose plain lines are bare entries. */
export const firstSealedLineSchema = z.strictObject({ sealed: z.base64() })

/** A line of a newer version, and an entry of a kind that this version doesn't know. */
export const newerLineSchema = z.looseObject({ v: z.int().min(journalLineVersion + 1) })
export const unknownEntrySchema = z.looseObject({ id: z.string(), kind: z.string() })

/** The end of the chain of lines, stored encrypted in a file beside the journal. */
export const journalHeadSchema = z.strictObject({ n: z.int().min(1), hash: z.string() })
export const sealedHeadSchema = z.strictObject({ sealed: z.base64() })
