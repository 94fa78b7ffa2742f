import { z } from 'zod'

/** A request to the keychain process: one call. The reply has the same `id`. */
export const keychainRequestSchema = z.discriminatedUnion('call', [
  z.strictObject({ id: z.int(), call: z.literal('get'), service: z.string(), account: z.string() }),
  z.strictObject({
    id: z.int(),
    call: z.literal('set'),
    service: z.string(),
    account: z.string(),
    value: z.string(),
  }),
  z.strictObject({ id: z.int(), call: z.literal('delete'), service: z.string(), account: z.string() }),
  z.strictObject({ id: z.int(), call: z.literal('findAll'), service: z.string() }),
])

export type KeychainRequest = z.infer<typeof keychainRequestSchema>

/** An entry of the keychain: its account and its secret. */
const keychainEntrySchema = z.object({ account: z.string(), value: z.string() })

export type KeychainEntry = z.infer<typeof keychainEntrySchema>

/**
 * The reply of the keychain process. `value` is the text or null of `get`, whether `delete` found something, the
 * entries of `findAll`, or null for `set`. `problem` says whether the keychain library can't be loaded or the
 * keychain refused; `words` is the error message of either.
 */
export const keychainReplySchema = z.discriminatedUnion('ok', [
  z.object({
    id: z.int(),
    ok: z.literal(true),
    value: z.union([z.null(), z.string(), z.boolean(), z.array(keychainEntrySchema)]),
  }),
  z.object({
    id: z.int(),
    ok: z.literal(false),
    problem: z.enum(['library', 'keychain']),
    words: z.string(),
  }),
])

export type KeychainReply = z.infer<typeof keychainReplySchema>

/** The value in the reply to each call. */
export const keychainValueSchemas = {
  get: z.string().nullable(),
  set: z.null(),
  delete: z.boolean(),
  findAll: z.array(keychainEntrySchema),
} satisfies Record<KeychainRequest['call'], z.ZodType>

export type KeychainValue<Call extends KeychainRequest['call']> = z.infer<(typeof keychainValueSchemas)[Call]>
