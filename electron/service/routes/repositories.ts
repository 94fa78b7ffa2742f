import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Store } from '../database/store'
import { repositoriesParametersSchema, repositoryAnswerSchema } from '../api/schemas'
import { errorAnswer, interfaceErrors } from './parts/answers'
import { tags } from './parts/tags'

const listRoute = createRoute({
  method: 'get',
  path: '/v1/integrations/forge/repohost/{integration_id}/repos',
  operationId: 'listRepositories',
  tags: [tags.interface.name],
  summary: 'List the repositories of a forge integration that are available to deploy',
  request: { params: repositoriesParametersSchema },
  responses: {
    200: {
      description: 'The repositories.',
      content: { 'application/json': { schema: z.array(repositoryAnswerSchema) } },
    },
    ...interfaceErrors,
    404: errorAnswer('No such integration.'),
  },
})

/** Interface: List repositories of a forge integration. */
export function addRepositoryRoutes(app: OpenAPIHono, store: Store): void {
  app.openapi(listRoute, async (context) => {
    const { integration_id } = context.req.valid('param')
    const documents = await store.repositories.ofIntegration(integration_id, context.get('caller').tenantId)
    if (documents.length === 0) {
      return context.json({ detail: `There is no integration ${integration_id}.` }, 404)
    }
    return context.body(`[${documents.join()}]`, 200, { 'content-type': 'application/json' }) as never
  })
}
