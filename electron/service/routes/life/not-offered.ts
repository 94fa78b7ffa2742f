import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { deploymentParametersSchema } from '../../api/schemas'
import type { Store } from '../../database/store'
import { errorAnswer, interfaceErrors } from '../parts/answers'
import { readDeployment } from '../parts/read-deployment'
import { tags } from '../parts/tags'

const about = { tags: [tags.extension.name] }
const notOffered = errorAnswer('This service has none of it. The text says what to do instead.')

const tokenRoute = createRoute({
  ...about,
  method: 'post',
  path: '/v2/deployments/{deployment_id}/push-token',
  operationId: 'createPushToken',
  summary: "Not offered: get a token for this service's registry of images",
  request: { params: deploymentParametersSchema },
  responses: {
    ...interfaceErrors,
    400: errorAnswer("The deployment's source isn't internal_docker."),
    404: errorAnswer('No such deployment.'),
    501: notOffered,
  },
})

const listener = 'This service runs nothing, so it has no listeners: enter any UUID as listener_id.'
const listeners = '/v2/listeners'
const oneListener = '/v2/listeners/{listener_id}'

/** Operations that public clients may call, and why they aren't offered. */
const others = [
  [
    'get',
    '/v2/deployments/free-count',
    'countFreeDeployments',
    'This service has no plans and no limits to them.',
  ],
  ['get', listeners, 'listListeners', listener],
  ['post', listeners, 'createListener', listener],
  ['get', oneListener, 'getListener', listener],
  ['patch', oneListener, 'changeListener', listener],
  ['delete', oneListener, 'deleteListener', listener],
  [
    'get',
    '/v1/integrations/forge/repohost/install',
    'listIntegrations',
    'This service has no list of integrations: "repositories import" prints the identifiers of those that it makes.',
  ],
] as const

const listenerParametersSchema = z.object({ listener_id: z.string().describe('Identifier of the listener.') })

/** An extension: operations that public clients know and this service doesn't have. They answer why. */
export function addOtherRoutes(app: OpenAPIHono, store: Store): void {
  app.openapi(tokenRoute, async (context) => {
    const { deployment_id: id } = context.req.valid('param')
    const target = { id, tenantId: context.get('caller').tenantId }
    const deployment = await readDeployment(store, target, new Date().toISOString())
    if (deployment === null) return context.json({ detail: `Deployment ID ${id} not found.` }, 404)
    if (deployment.source !== 'internal_docker') {
      const detail = "A push token is only available for 'internal_docker' source deployments."
      return context.json({ detail }, 400)
    }
    const detail =
      'This service has no registry of images. Push the image to one of your own, and name it in ' +
      'source_revision_config.image_uri.'
    return context.json({ detail }, 501)
  })

  for (const [method, path, operationId, detail] of others) {
    const route = createRoute({
      ...about,
      method,
      path,
      operationId,
      summary: `Not offered: ${detail}`,
      ...(path === oneListener ? { request: { params: listenerParametersSchema } } : {}),
      responses: { ...interfaceErrors, 501: notOffered },
    })
    app.openapi(route, (context) => context.json({ detail }, 501))
  }
}
