import { z } from 'zod'

/** Makes an object schema of a shape; decides what happens to members that the interface does not name. */
export type ObjectKind = <Shape extends z.ZodRawShape>(shape: Shape) => z.ZodObject<Shape>

/** Refuses unknown members: what Slipway writes. */
export const strict = z.strictObject

/** Drops unknown members: what a service does with a request. */
export const ignoring: ObjectKind = (shape) => z.object(shape)
