import { createRequestSchemas } from './create-request'
import { ignoring } from './object-kind'

/** What a service reads: a member that it does not know is ignored. Only the built-in service needs these. */
export const acceptedRequestSchemas = createRequestSchemas(ignoring)
