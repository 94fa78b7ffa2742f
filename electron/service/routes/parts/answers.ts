import { limits } from '../../base/limits'
import { errorAnswerSchema, invalidAnswerSchema } from '../../api/schemas'

/** An error of a route, for the OpenAPI document. */
export const errorAnswer = (description: string) => ({
  description,
  content: { 'application/json': { schema: errorAnswerSchema } },
})

/** A 429 or 503 of a route, for the OpenAPI document. */
export const retryLater = (description: string) => ({
  ...errorAnswer(description),
  headers: { 'Retry-After': { schema: { type: 'string' as const } } },
})

/** Errors of every route, for the OpenAPI document. */
export const commonErrors = {
  400: errorAnswer("The request isn't valid HTTP, the header Host is missing, or X-Tenant-Id isn't a UUID."),
  403: errorAnswer('The request comes from a page of another origin.'),
  408: errorAnswer(`The request wasn't complete within ${limits.requestMs / 1000} s.`),
  417: errorAnswer('The header Expect asks for something else than 100-continue.'),
  431: errorAnswer(`Address and headers are longer than ${limits.headerBytes / 1024} KiB together.`),
  500: errorAnswer('A fault of the service. Its log has the reason.'),
}

/** Errors of every route of the interface, for the OpenAPI document. */
export const interfaceErrors = {
  ...commonErrors,
  401: {
    ...errorAnswer('The API key is missing, wrong, expired or revoked.'),
    headers: { 'WWW-Authenticate': { schema: { type: 'string' as const } } },
  },
  403: errorAnswer(
    "The API key's role or tenant doesn't allow it, or the request comes from a page of another origin.",
  ),
  422: {
    description: `The request has the wrong shape. At most ${limits.findings} findings are listed.`,
    content: { 'application/json': { schema: invalidAnswerSchema } },
  },
  429: retryLater('Too many wrong API keys came from this address.'),
  503: retryLater("The database can't be used at the moment."),
}

/** Errors of routes that read a body, for the OpenAPI document. */
export const bodyErrors = {
  413: errorAnswer('The body is larger than 1 MiB.'),
  415: errorAnswer('The body is not application/json, or is compressed.'),
}

/** Errors of routes that write, for the OpenAPI document. */
export const writeErrors = {
  503: retryLater(
    "The database can't be used at the moment. The text says if it may have been done nevertheless.",
  ),
  507: errorAnswer('The disk is full, so nothing was changed.'),
}
