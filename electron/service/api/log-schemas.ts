import { z } from '@hono/zod-openapi'
import { deploymentAnswerSchema, digits, emptyIsNull } from './schemas'

/** Logs, in the form that public clients of such services send and read. */

const { id: uuid } = deploymentAnswerSchema.shape

const levels = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'] as const

export type LogLevel = (typeof levels)[number]

const upperCase = (value: unknown): unknown =>
  typeof value === 'string' ? value.toUpperCase() || null : value

const time = z.preprocess(emptyIsNull, z.iso.datetime({ offset: true, local: true }).nullish())

const members = {
  order: z.enum(['asc', 'desc']).default('asc').describe('The oldest first, or the newest.'),
  offset: z.preprocess(
    emptyIsNull,
    z
      .string()
      .regex(/^\d{1,9}$/, 'Input should be an offset that was answered')
      .nullish()
      .describe('The `next_offset` of the page before.'),
  ),
  query: z.string().max(1_000).nullish().describe('A part of the message, in upper or lower case.'),
  level: z.preprocess(upperCase, z.enum(levels).nullish()),
  start_time: time.describe('From this time on.'),
  end_time: time.describe('Before this time.'),
}

const limit = z.int().min(1).max(1_000).default(50)

/** The body of older operations about logs. Unknown members are ignored. */
export const logBodySchema = z.object({ ...members, limit }).openapi('LogQuery')

export type LogQuery = z.infer<typeof logBodySchema>

/** The query of Read logs, as texts. */
export const logParametersSchema = z.object({
  ...members,
  limit: z.preprocess(digits, limit),
  type: z.enum(['build', 'deploy']).describe('What wrote it: the build, or the servers.'),
})

const logEntrySchema = z
  .object({
    id: z.string(),
    timestamp: z.iso.datetime(),
    level: z.enum(levels),
    message: z.string(),
  })
  .openapi('LogEntry')

export type LogEntry = z.infer<typeof logEntrySchema>

export const logPageSchema = z
  .object({
    logs: z.array(logEntrySchema),
    next_offset: z
      .string()
      .nullable()
      .describe('Null at the end. While a revision is on its way, a log in ascending order has no end yet.'),
  })
  .openapi('LogPage')

/** The same as services with a cursor answer it. */
export const itemPageSchema = z
  .object({ items: z.array(logEntrySchema), next_cursor: logPageSchema.shape.next_offset })
  .openapi('LogItems')

const { offset: cursor, ...filters } = members

/** The query of Read deployment logs, as texts. */
export const deploymentLogParametersSchema = z.object({
  ...filters,
  limit: z.preprocess(digits, limit),
  cursor: cursor.describe('The `next_cursor` of the page before.'),
  deployment_id: uuid.describe('Identifier of the deployment.'),
  revision_id: z
    .preprocess(emptyIsNull, uuid.nullish())
    .describe('Identifier of the revision: by default the latest that has a log.'),
  log_type: z
    .enum(['build', 'deploy'])
    .default('deploy')
    .describe('What wrote it: the build, or the servers.'),
})
