import { z } from '@hono/zod-openapi'
import { refusal } from '../api/errors'
import {
  integrationAnswerSchema,
  repositoriesParametersSchema,
  type RepositoryAnswer,
  repositoryAnswerSchema,
} from '../api/schemas'
import type { Store } from '../database/store'
import type { AddOperation } from './operation'

/** Interface: List repositories of a forge integration. An extension: the integrations. */
export function addRepositoryRoutes(add: AddOperation, store: Store): void {
  add(
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
    async ({ params: { integration_id: id }, target }) => {
      const documents = await store.repositories.ofIntegration(id, target.tenantId)
      if (documents.length === 0) throw refusal(404, `There is no integration ${id}.`)
      return `[${documents.join()}]`
    },
  )

  add(
    {
      method: 'get',
      path: '/v1/integrations/forge/repohost/install',
      operationId: 'listIntegrations',
      summary: 'List the integrations that have repositories here',
      description:
        'Each is called by the owner of its first repository. The number of its installation is its place.',
      answers: { 200: ['The integrations.', z.array(integrationAnswerSchema)] },
    },
    async ({ target }) => {
      const found = await store.repositories.integrations(target.tenantId)
      return found.map(({ id, document }, index) => ({
        id,
        installation_id: index + 1,
        name: (JSON.parse(document) as RepositoryAnswer).owner,
      }))
    },
  )
}
