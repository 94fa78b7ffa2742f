import { type OpenAPIHono, z } from '@hono/zod-openapi'
import { refusal } from '../api/errors'
import { limits } from '../base/limits'
import { StorageFailure } from '../base/failures'
import type { Store } from '../database/store'
import type { Metrics } from '../http/metrics'
import { type AddOperation, tags } from './operation'

const okSchema = z.object({ status: z.literal('ok') })

/** What the operations about the service use. */
interface AboutParts {
  store: Store
  /** Null in a sandbox, which has no metrics. */
  metrics: Metrics | null
  /** Whether the service is about to end. */
  isEnding: () => boolean
  /** The prefix of all paths. */
  basePath: string
  /** Whether requests need an API key, which may change when keys are added. */
  needsKey: () => Promise<boolean>
}

/** Operations about the service itself. Add them last: the document describes all that were added before. */
export function addAboutRoutes(
  app: OpenAPIHono,
  add: AddOperation,
  { store, metrics, isEnding, basePath, needsKey }: AboutParts,
): void {
  add(
    {
      tag: 'service',
      method: 'get',
      path: '/health',
      operationId: 'getHealth',
      summary: 'Whether the service is up',
      isOpen: true,
      answers: { 200: ['It is.', okSchema] },
    },
    () => ({ status: 'ok' }),
  )

  add(
    {
      tag: 'service',
      method: 'get',
      path: '/ready',
      operationId: 'getReadiness',
      summary: 'Whether requests can be sent here',
      description:
        'Reads the database. If the last write failed, also writes, so that it shows when that works again.',
      isOpen: true,
      answers: { 200: ['It can.', okSchema] },
      errors: {
        503:
          "It can't, or the service is about to end: the text says which, and whether the disk is full. " +
          'Deployments may still be listed.',
      },
    },
    async () => {
      if (isEnding()) throw refusal(503, 'This instance is about to end.')
      try {
        await store.check()
      } catch (error) {
        if (!(error instanceof StorageFailure)) throw error
        throw refusal(
          503,
          error.reason === 'full'
            ? "The service's disk is full: deployments can be listed, but not created."
            : "The service's database can't be used at the moment.",
        )
      }
      return { status: 'ok' }
    },
  )

  if (metrics) {
    add(
      {
        tag: 'service',
        method: 'get',
        path: '/metrics',
        operationId: 'getMetrics',
        summary: 'What this instance counts and measures, for Prometheus',
        answers: { 200: ['The metrics.', z.string(), 'text/plain'] },
      },
      async ({ context }) => {
        const { contentType, text } = await metrics.expose()
        return context.body(text, 200, { 'content-type': contentType })
      },
    )
  }

  const documents = new Map<boolean, string>()
  add(
    {
      tag: 'service',
      method: 'get',
      path: '/openapi.json',
      operationId: 'getDocument',
      summary: 'This document',
      isOpen: true,
      answers: { 200: ['The document, in OpenAPI 3.1.', z.looseObject({ openapi: z.string() })] },
    },
    async () => {
      const isKeyNeeded = await needsKey()
      const document = documents.get(isKeyNeeded) ?? describe(app, basePath, isKeyNeeded)
      documents.set(isKeyNeeded, document)
      return document
    },
  )
}

const description = `The deployment service that is built into Slipway. It keeps deployments, and runs nothing.

An error has a text in \`detail\`; a 422 has a list. A path answers 405 to methods that it doesn't have, with those that
it has in \`Allow\`, and a slash at its end makes no difference.

Limits of a request: ${limits.headerBytes / 1024} KiB for its address and headers, ${limits.requestMs / 60_000} minutes to send it,
and in a body 1 MiB, ${limits.levels} levels, ${limits.items} items in all lists together, and only numbers that a double
keeps exactly. Identifiers are answered in lower case.`

function describe(app: OpenAPIHono, basePath: string, isKeyNeeded: boolean): string {
  if (isKeyNeeded) describeKeys(app)
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Deployment management service',
      version: '2',
      description,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    // Clients resolve it against the document's own address.
    servers: [{ url: basePath || '/' }],
    tags: Object.values(tags),
    security: isKeyNeeded ? [{ apiKey: [] }, { bearer: [] }] : [],
  })
  describeTenants(document)
  return JSON.stringify(document)
}

const tenantHeader = {
  name: 'X-Tenant-Id',
  in: 'header' as const,
  required: false,
  description:
    "The tenant whose deployments the request is about. Without it, that is the key's tenant, or the service's own.",
  schema: { type: 'string' as const, format: 'uuid' },
}

/** Adds the tenant's header to every operation of the interface and its extensions. */
function describeTenants({ paths = {} }: ReturnType<OpenAPIHono['getOpenAPI31Document']>): void {
  for (const [path, operations] of Object.entries(paths)) {
    if (!/^\/v\d+\//.test(path)) continue
    for (const operation of Object.values(operations as Record<string, { parameters?: unknown[] }>)) {
      operation.parameters = [...(operation.parameters ?? []), tenantHeader]
    }
  }
}

function describeKeys(app: OpenAPIHono): void {
  app.openAPIRegistry.registerComponent('securitySchemes', 'apiKey', {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description: 'A key with the role `read` may only read.',
  })
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description: 'The same key, as `Authorization: Bearer`.',
  })
}
