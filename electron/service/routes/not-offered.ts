import { z } from '@hono/zod-openapi'
import { refusal } from '../api/errors'
import { deploymentParametersSchema } from '../api/schemas'
import type { Store } from '../database/store'
import { type AddOperation, deploymentOf } from './operation'

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
export function addOtherRoutes(add: AddOperation, store: Store): void {
  add(
    {
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
    async ({ target }) => {
      const { source } = await deploymentOf(store, target)
      if (source !== 'internal_docker') {
        throw refusal(400, "A push token is only available for 'internal_docker' source deployments.")
      }
      throw refusal(
        501,
        'This service has no registry of images. Push the image to one of your own, and name it in ' +
          'source_revision_config.image_uri.',
      )
    },
  )

  for (const [method, path, operationId, detail] of others) {
    add(
      {
        ...{ method, path, operationId, summary: `Not offered: ${detail}`, answers: {}, errors: notOffered },
        ...(path === oneListener ? { params: listenerParametersSchema } : {}),
      },
      () => {
        throw refusal(501, detail)
      },
    )
  }
}
