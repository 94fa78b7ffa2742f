import { type OpenAPIHono, z } from '@hono/zod-openapi'
import { answerError } from '../api/errors'
import { deploymentParametersSchema } from '../api/schemas'
import type { Store } from '../database/store'
import { addOperation } from './operation'
import { noDeployment, targetOf } from './parts'

const notOffered = { 501: 'This service has none of it. The text says what to do instead.' }

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
] as const

const listenerParametersSchema = z.object({ listener_id: z.string().describe('Identifier of the listener.') })

/** An extension: operations that public clients know and this service doesn't have. They answer why. */
export function addOtherRoutes(app: OpenAPIHono, store: Store): void {
  addOperation(
    app,
    {
      tag: 'extension',
      method: 'post',
      path: '/v2/deployments/{deployment_id}/push-token',
      operationId: 'createPushToken',
      summary: "Not offered: get a token for this service's registry of images",
      params: deploymentParametersSchema,
      answers: {},
      errors: {
        400: "The deployment's source isn't internal_docker.",
        404: 'No such deployment.',
        ...notOffered,
      },
    },
    async (context, { params }) => {
      const target = targetOf(context, params)
      const deployment = await store.deployments.get(target, Date.now())
      if (deployment === null) return noDeployment(context, target)
      if (deployment.source !== 'internal_docker') {
        const detail = "A push token is only available for 'internal_docker' source deployments."
        return answerError(context, 400, detail)
      }
      return answerError(
        context,
        501,
        'This service has no registry of images. Push the image to one of your own, and name it in ' +
          'source_revision_config.image_uri.',
      )
    },
  )

  for (const [method, path, operationId, detail] of others) {
    const summary = `Not offered: ${detail}`
    const about = {
      tag: 'extension',
      method,
      path,
      operationId,
      summary,
      answers: {},
      errors: notOffered,
    } as const
    const params = path === oneListener ? { params: listenerParametersSchema } : {}
    addOperation(app, { ...about, ...params }, (context) => answerError(context, 501, detail))
  }
}
