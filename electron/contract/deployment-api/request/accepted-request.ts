import { createRequestSchemas } from './create-request'
import { ignoring } from './object-kind'

/** The schemas for a service that reads requests: they ignore unknown members. Only the built-in service needs them. */
export const acceptedRequestSchemas = createRequestSchemas(ignoring)
