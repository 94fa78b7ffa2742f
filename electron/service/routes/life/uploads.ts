import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { changeEntry } from '../../access/audit'
import { refuseCutOff } from '../../api/body'
import {
  uploadAddressSchema,
  uploadedSchema,
  uploadParametersSchema,
  uploadPathSchema,
} from '../../api/life-schemas'
import { deploymentParametersSchema } from '../../api/schemas'
import type { Archives } from '../../archives/archives'
import { type ArchivePlace, objectPathOf } from '../../archives/places'
import type { Ticket } from '../../archives/tickets'
import { limits } from '../../base/limits'
import { uploadsPath } from '../../base/uploads-path'
import type { Store, Target } from '../../database/store'
import { commonErrors, errorAnswer, interfaceErrors, retryLater, writeErrors } from '../parts/answers'
import { tags } from '../parts/tags'
import { readDeployment } from '../parts/read-deployment'

const about = { tags: [tags.extension.name] }
const mebibytes = limits.archiveBytes / 1024 / 1024
const minutes = limits.ticketMs / 60_000

const addressRoute = createRoute({
  ...about,
  method: 'post',
  path: '/v2/deployments/{deployment_id}/upload-url',
  operationId: 'createUploadUrl',
  summary: 'Get an address to upload a source archive to',
  description:
    `The address holds for ${minutes} minutes and one archive, and needs no API key. After the upload, a change with ` +
    '`source_revision_config.source_tarball_path` makes a revision of it.',
  request: { params: deploymentParametersSchema },
  responses: {
    200: {
      description: 'The address, and the path of the archive.',
      content: { 'application/json': { schema: uploadAddressSchema } },
    },
    ...interfaceErrors,
    400: errorAnswer("The deployment's source isn't internal_source."),
    404: errorAnswer('No such deployment.'),
    409: errorAnswer('The deployment is being deleted.'),
    ...writeErrors,
    501: errorAnswer('The service keeps no archives.'),
  },
})

const uploadRoute = createRoute({
  ...about,
  method: 'put',
  path: `${uploadsPath}{tenant_id}/{deployment_id}/{archive_id}` as const,
  operationId: 'uploadArchive',
  summary: 'Upload a source archive',
  description: `A gzip archive of at most ${mebibytes} MiB, to an address from \`createUploadUrl\`.`,
  security: [],
  request: {
    params: uploadPathSchema,
    query: uploadParametersSchema,
    body: {
      required: true,
      content: { 'application/gzip': { schema: { type: 'string' as const, format: 'binary' } } },
    },
  },
  responses: {
    200: { description: 'It is kept.', content: { 'application/json': { schema: uploadedSchema } } },
    ...commonErrors,
    400: errorAnswer("The archive isn't gzip, or the connection was closed before it was complete."),
    403: errorAnswer(
      'The address is wrong or has expired, or the request comes from a page of another origin.',
    ),
    404: errorAnswer('The deployment is gone.'),
    408: errorAnswer(`The upload wasn't complete within ${limits.uploadMs / 60_000} minutes.`),
    409: errorAnswer('The address was used already.'),
    411: errorAnswer('The header Content-Length is missing.'),
    413: errorAnswer(`The archive is larger than ${mebibytes} MiB.`),
    415: errorAnswer("The header Content-Type isn't application/gzip."),
    422: interfaceErrors[422],
    503: retryLater("The database or the archives can't be used at the moment."),
    507: errorAnswer('The disk is full, or archives take as much as they may: nothing was kept.'),
  },
})

/**
 * An extension: uploads of source archives.
 *
 * @param archives null if the service doesn't store any
 */
export function addUploadRoutes(
  app: OpenAPIHono,
  store: Store,
  archives: Archives | null,
  basePath: string,
): void {
  const find = (target: Target) => readDeployment(store, target, new Date().toISOString())

  app.openapi(addressRoute, async (context) => {
    const deploymentId = context.req.valid('param').deployment_id.toLowerCase()
    const { tenantId } = context.get('caller')
    const deployment = await find({ id: deploymentId, tenantId })
    if (deployment === null) return context.json({ detail: `Deployment ID ${deploymentId} not found.` }, 404)
    if (archives === null) {
      const detail = 'This service keeps no archives: it was started with --database and without --archives.'
      return context.json({ detail }, 501)
    }
    if (deployment.source !== 'internal_source') {
      const detail = "An upload URL is only available for 'internal_source' source deployments."
      return context.json({ detail }, 400)
    }
    if (deployment.status === 'AWAITING_DELETE') {
      return context.json({ detail: `Deployment ID ${deploymentId} is being deleted.` }, 409)
    }
    const { place, ticket } = await archives.grant({ tenantId, deploymentId }, Date.now())
    await store.audit.append([changeEntry(context)])
    const answer = {
      upload_url: addressOf(context, basePath, place, ticket),
      object_path: objectPathOf(place),
    }
    return context.json(answer, 200)
  })

  app.openapi(uploadRoute, async (context) => {
    const { tenant_id, deployment_id, archive_id } = context.req.valid('param')
    const place: ArchivePlace = {
      tenantId: tenant_id.toLowerCase(),
      deploymentId: deployment_id.toLowerCase(),
      archiveId: archive_id.toLowerCase(),
    }
    const state = (await archives?.check(place, context.req.valid('query'), Date.now())) ?? 'wrong'
    if (archives === null || state !== 'right') {
      const detail = state === 'expired' ? 'This address has expired.' : 'This address is wrong.'
      return context.json({ detail: `${detail} Ask for another one.` }, 403)
    }
    const size = sizeOf(context)
    if (size === null) return context.json({ detail: 'The header Content-Length is missing.' }, 411)
    if (size > limits.archiveBytes) {
      return context.json({ detail: `The archive is larger than ${mebibytes} MiB.` }, 413)
    }
    const type = context.req.header('content-type')?.split(';')[0]!.trim().toLowerCase()
    if (type !== 'application/gzip') {
      return context.json({ detail: 'The header Content-Type must be application/gzip.' }, 415)
    }
    const used = { detail: 'This address was used already. Ask for another one.' }
    const gone = { detail: `Deployment ID ${place.deploymentId} not found, or it is being deleted.` }
    const isWanted = async (): Promise<boolean> => {
      const deployment = await find({ id: place.deploymentId, tenantId: place.tenantId })
      return deployment !== null && deployment.status !== 'AWAITING_DELETE'
    }
    if (!(await isWanted())) return context.json(gone, 404)
    if (await archives.has(place)) return context.json(used, 409)
    const { incoming } = context.env as { incoming: IncomingMessage }
    switch (await archives.save(place, incoming, size, isWanted)) {
      case 'saved':
        return context.json({ object_path: objectPathOf(place), bytes: size }, 200)
      case 'used already':
        return context.json(used, 409)
      case 'not wanted':
        return context.json(gone, 404)
      case 'not gzip':
        return context.json({ detail: "This isn't a gzip archive." }, 400)
      case 'cut off':
        return refuseCutOff(context) as never
      case 'too many':
        return context.json({ detail: `The service keeps as many archives as it may. ${makeRoom}` }, 507)
      case 'no room':
        return context.json(
          { detail: `The service has no room for an archive of this size. ${makeRoom}` },
          507,
        )
    }
  })
}

/** What to do if no more archives can be stored. */
const makeRoom = 'Delete deployments that are no longer needed, then try again.'

/** The declared size of a request's body in bytes; null if it isn't declared. */
function sizeOf({ req }: Context): number | null {
  const length = req.header('content-length')
  return length === undefined || req.header('transfer-encoding') !== undefined ? null : Number(length)
}

/** The address of an upload, on the host by which the client reached the service. */
function addressOf(
  { req, env }: Context,
  basePath: string,
  { tenantId, deploymentId, archiveId }: ArchivePlace,
  { expires, signature }: Ticket,
): string {
  const { incoming } = env as { incoming: IncomingMessage }
  const isEncrypted = incoming.socket instanceof TLSSocket
  const forwarded = /^https?$/.exec(req.header('x-forwarded-proto') ?? '')?.[0]
  const origin = `${forwarded ?? (isEncrypted ? 'https' : 'http')}://${new URL(req.url).host}`
  const path = `${basePath}${uploadsPath}${tenantId}/${deploymentId}/${archiveId}`
  return `${origin}${path}?expires=${expires}&signature=${signature}`
}
