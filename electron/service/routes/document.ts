import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { limits } from '../base/limits'
import { commonErrors } from './parts/answers'
import { tags } from './parts/tags'

const documentRoute = createRoute({
  method: 'get',
  path: '/openapi.json',
  operationId: 'getDocument',
  summary: 'This document',
  tags: [tags.service.name],
  security: [],
  responses: {
    200: {
      description: 'The document, in OpenAPI 3.1.',
      content: { 'application/json': { schema: z.looseObject({ openapi: z.string() }) } },
    },
    ...commonErrors,
  },
})

const description = `The deployment service that is built into Slipway. It keeps deployments, and runs nothing.

An error has a text in \`detail\`; a 422 has a list. A path answers 405 to methods that it doesn't have, with those that
it has in \`Allow\`.

Limits of a request: ${limits.headerBytes / 1024} KiB for its address and headers, ${limits.requestMs / 1000} s to send it,
but for archives, and in a body 1 MiB, ${limits.levels} levels, ${limits.items} items in all lists together, and only numbers that a double
keeps exactly. Identifiers are answered in lower case.`

/**
 * The route of the OpenAPI document. It describes all routes that were added before the first request.
 *
 * @param basePath the prefix of all paths
 * @param needsKey whether requests need an API key, which may change when keys are added
 */
export function addDocumentRoute(app: OpenAPIHono, basePath: string, needsKey: () => Promise<boolean>): void {
  const documents = new Map<boolean, string>()

  function describe(isKeyNeeded: boolean): string {
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

  app.openapi(documentRoute, async (context) => {
    const isKeyNeeded = await needsKey()
    const document = documents.get(isKeyNeeded) ?? describe(isKeyNeeded)
    documents.set(isKeyNeeded, document)
    context.set('unchanging', document)
    return context.body(document, 200, { 'content-type': 'application/json' }) as never
  })
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
