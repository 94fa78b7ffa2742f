import { type OpenAPIHono, z } from '@hono/zod-openapi'
import { answerError } from '../api/errors'
import {
  integrationAnswerSchema,
  repositoriesParametersSchema,
  type RepositoryAnswer,
  repositoryAnswerSchema,
} from '../api/schemas'
import type { Store } from '../database/store'
import { addOperation, answerText } from './operation'

/** Interface: List repositories of a forge integration. An extension: the integrations. */
export function addRepositoryRoutes(app: OpenAPIHono, store: Store): void {
  addOperation(
    app,
    {
      tag: 'interface',
      method: 'get',
      path: '/v1/integrations/forge/repohost/{integration_id}/repos',
      operationId: 'listRepositories',
      summary: 'List the repositories of a forge integration that are available to deploy',
      params: repositoriesParametersSchema,
      answers: { 200: ['The repositories.', z.array(repositoryAnswerSchema)] },
      errors: { 404: 'No such integration.' },
    },
    async (context, { params: { integration_id: id } }) => {
      const documents = await store.repositories.ofIntegration(id, context.get('caller').tenantId)
      if (documents.length === 0) return answerError(context, 404, `There is no integration ${id}.`)
      return answerText(context, `[${documents.join()}]`)
    },
  )

  addOperation(
    app,
    {
      tag: 'extension',
      method: 'get',
      path: '/v1/integrations/forge/repohost/install',
      operationId: 'listIntegrations',
      summary: 'List the integrations that have repositories here',
      description:
        'Each is called by the owner of its first repository. The number of its installation is its place.',
      answers: { 200: ['The integrations.', z.array(integrationAnswerSchema)] },
    },
    async (context) => {
      const found = await store.repositories.integrations(context.get('caller').tenantId)
      const integrations = found.map(({ id, document }, index) => ({
        id,
        installation_id: index + 1,
        name: (JSON.parse(document) as RepositoryAnswer).owner,
      }))
      return context.json(integrations, 200)
    },
  )
}
