import { createRoute, type OpenAPIHono, type z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { EnvironmentMode } from '@contract'
import { limitBody, refuseInexactNumbers, requireJson, requireUtf8 } from '../api/body'
import { refusal } from '../api/errors'
import { type DeploymentAnswer, errorAnswerSchema, invalidAnswerSchema } from '../api/schemas'
import type { Archives } from '../archives'
import { limits } from '../base/limits'
import type { Log } from '../base/log'
import type { Target } from '../database/deployments'
import type { Store } from '../database/store'

/** What the operations about deployments use. */
export interface RouteParts {
  store: Store
  /** Null if the service doesn't store archives. */
  archives: Archives | null
  log: Log
  mode: EnvironmentMode
  /** How long a deployment, a revision or a deletion takes, in milliseconds. */
  provisionMs: number
  /** Whether a repository, its integration and its ref must be known. */
  checkRepositories: boolean
}

export const noDeployment = ({ id }: Target): Error => refusal(404, `Deployment ID ${id} not found.`)

export const noRevision = (id: string): Error => refusal(404, `Revision ID ${id} not found.`)

/** Reads a deployment. Throws the answer 404 if there is none. */
export async function deploymentOf(
  { deployments }: Pick<Store, 'deployments'>,
  target: Target,
): Promise<DeploymentAnswer> {
  const found = await deployments.get(target, Date.now())
  if (found === null) throw noDeployment(target)
  return found
}

/** The groups of operations in the OpenAPI document. */
export const tags = {
  interface: {
    name: 'Interface',
    description: "The service's interface: repositories, the list of deployments, their creation.",
  },
  extension: {
    name: 'Extension',
    description: 'What the interface lacks, and public clients of such services call.',
  },
  service: { name: 'Service', description: 'About the service itself.' },
} as const

/** An operation as the OpenAPI document describes it, with the schemas that its requests and answers have. */
interface Operation<Params, Query, Body> {
  /** An extension by default. */
  tag?: keyof typeof tags
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  path: string
  operationId: string
  summary: string
  description?: string
  params?: Params
  query?: Query
  /** Of a body in JSON. */
  body?: Body
  /** The content type of another body, which the operation reads itself. */
  bodyType?: string
  /** The description and the schema of each answer of a success. Without a schema, it has no body. */
  answers: Record<number, readonly [description: string, schema?: z.ZodType, contentType?: string]>
  /** The descriptions of errors beside those that each operation of its kind has. */
  errors?: Record<number, string>
  /** Whether it needs no API key. */
  isOpen?: boolean
  /** Whether it writes. */
  writes?: boolean
}

/** What an operation gets from a request. */
interface Input<Params, Query, Body> {
  params: z.infer<Params>
  query: z.infer<Query>
  body: z.infer<Body>
  /** The deployment that the path names, if it has `deployment_id`, and the tenant. */
  target: Target
  context: Context
}

/** A success as an operation gives it: its value, or its text or stream of JSON; null without a body. */
type Result = object | string | null

const json = (description: string, schema: z.ZodType, contentType = 'application/json') => ({
  description,
  content: { [contentType]: { schema } },
})

const header = (name: string) => ({ headers: { [name]: { schema: { type: 'string' as const } } } })

/** Errors of every operation. */
const commonErrors: Record<number, string> = {
  400: "The request isn't valid HTTP, the header Host is missing, or X-Tenant-Id isn't a UUID.",
  403: 'The request comes from a page of another origin.',
  408: `The request wasn't complete within ${limits.requestMs / 60_000} minutes.`,
  417: 'The header Expect asks for something else than 100-continue.',
  431: `Address and headers are longer than ${limits.headerBytes / 1024} KiB together.`,
  500: 'A fault of the service. Its log has the reason.',
}

/** Errors of every operation that needs an API key. */
const keyErrors: Record<number, string> = {
  401: 'The API key is missing, wrong, expired or revoked.',
  403: "The API key's role or tenant doesn't allow it, or the request comes from a page of another origin.",
  429: 'Too many wrong API keys came from this address.',
  503: "The database can't be used at the moment.",
}

const bodyErrors: Record<number, string> = {
  413: 'The body is larger than 1 MiB.',
  415: 'The body is not application/json, or is compressed.',
}

const writeErrors: Record<number, string> = {
  503: "The database can't be used at the moment. The text says if it may have been done nevertheless.",
  507: 'The disk is full, so nothing was changed.',
}

/** Headers that errors have. */
const errorHeaders: Record<number, object> = {
  401: header('WWW-Authenticate'),
  429: header('Retry-After'),
  503: header('Retry-After'),
}

/** Adds operations to the application and to its document. */
export type AddOperation = ReturnType<typeof operationsOf>

export const operationsOf = (app: OpenAPIHono) =>
  /**
   * @param answer gives what the first answer in `answers` has, or a Response of its own, and throws refusals
   */
  function addOperation<
    Params extends z.ZodObject = z.ZodObject<Record<never, never>>,
    Query extends z.ZodObject = z.ZodObject<Record<never, never>>,
    Body extends z.ZodType = z.ZodNever,
  >(
    operation: Operation<Params, Query, Body>,
    answer: (input: Input<Params, Query, Body>) => Result | Promise<Result>,
  ): void {
    const {
      tag = 'extension',
      params,
      query,
      body,
      bodyType,
      answers,
      isOpen,
      writes,
      errors: own,
      ...about
    } = operation
    const errors = {
      ...commonErrors,
      ...(isOpen ? {} : keyErrors),
      ...(body && bodyErrors),
      ...(writes && writeErrors),
      ...own,
    }
    const content = body
      ? { 'application/json': { schema: body } }
      : bodyType && { [bodyType]: { schema: { type: 'string' as const, format: 'binary' } } }
    const isChecked = tag !== 'service' && (!isOpen || params !== undefined)
    const route = createRoute({
      ...about,
      tags: [tags[tag].name],
      ...(isOpen ? { security: [] } : {}),
      ...(body ? { middleware: [requireJson, limitBody, requireUtf8, refuseInexactNumbers] } : {}),
      request: {
        ...(params && { params }),
        ...(query && { query }),
        ...(content && { body: { required: true, content } }),
      },
      responses: {
        ...Object.fromEntries(
          Object.entries(answers).map(([status, [description, schema, contentType]]) => [
            status,
            schema ? json(description, schema, contentType) : { description },
          ]),
        ),
        ...(isChecked
          ? {
              422: json(
                `The request has the wrong shape. At most ${limits.findings} findings are listed.`,
                invalidAnswerSchema,
              ),
            }
          : {}),
        ...Object.fromEntries(
          Object.entries(errors).map(([status, description]) => [
            status,
            { ...json(description, errorAnswerSchema), ...errorHeaders[Number(status)] },
          ]),
        ),
      },
    })
    const success = Number(Object.keys(answers)[0]) as ContentfulStatusCode
    app.openapi(route, (async (context: Context) => {
      const valid = (part: string): unknown => context.req.valid(part as never)
      const [found, tenantId] = [valid('param'), context.get('caller')?.tenantId]
      const target = { id: (found as { deployment_id?: string } | undefined)?.deployment_id, tenantId }
      const input = { params: found, query: valid('query'), body: valid('json'), target, context }
      const result = await answer(input as Input<Params, Query, Body>)
      if (result instanceof Response) return result
      const isWritten = result === null || typeof result === 'string' || result instanceof ReadableStream
      const text = isWritten ? result : JSON.stringify(result)
      return context.body(
        text as string,
        success,
        text === null ? {} : { 'content-type': 'application/json' },
      )
    }) as never)
  }
