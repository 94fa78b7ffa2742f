import { z } from 'zod'
import { identifierSchema } from '../../app/environment'

/** The environment that a call is about, or that an attempt, a deployment or a view belongs to. */
export const environmentId = identifierSchema

/** Where the environment led when the page read what a call is about (`Environment.service`). */
export const namedService = z.string().max(1_000).nullable()

/**
 * A call: the members of its input, and the type of its output. Nothing checks an output: both of its ends are built
 * together.
 */
export const call =
  <Output>() =>
  <Members extends z.ZodRawShape>(members: Members) =>
    callWith<Output>()(z.strictObject(members))

/** A call whose input has a schema of its own. */
export const callWith =
  <Output>() =>
  <Input extends z.ZodType>(input: Input) => ({ input, output: undefined as Output })
