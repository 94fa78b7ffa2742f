import { z } from 'zod'

/** Creates an object schema, and decides what happens to members that the interface doesn't name. */
export type ObjectKind = <Shape extends z.ZodRawShape>(shape: Shape) => z.ZodObject<Shape>

/** Refuses unknown members. For requests that Slipway writes. */
export const strict = z.strictObject

/** Drops unknown members, as a service does. */
export const ignoring: ObjectKind = (shape) => z.object(shape)
