import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import type { Context } from 'hono'
import { changeEntry } from '../access/audit'
import { cutOff } from '../api/body'
import { refusal } from '../api/errors'
import {
  uploadAddressSchema,
  uploadedSchema,
  uploadParametersSchema,
  uploadPathSchema,
} from '../api/life-schemas'
import { deploymentParametersSchema } from '../api/schemas'
import { uploadsPath } from '../archives'
import { limits } from '../base/limits'
import { type ArchivePlace, objectPathOf } from '../database/archives'
import { type AddOperation, deploymentOf, type RouteParts } from './operation'

const mebibytes = limits.archiveBytes / 1024 / 1024
const minutes = limits.ticketMs / 60_000

/** What to do if no more archives can be stored. */
const makeRoom = 'Delete deployments that are no longer needed, then try again.'

/** Why an upload isn't kept. */
const refusals = {
  'cut off': cutOff,
  'used already': refusal(409, 'This address was used already. Ask for another one.'),
  'not wanted': refusal(404, 'The deployment of this archive is gone, or is being deleted.'),
  'not gzip': refusal(400, "This isn't a gzip archive."),
  'too many': refusal(507, `The service keeps as many archives as it may. ${makeRoom}`),
  'no room': refusal(507, `The service has no room for an archive of this size. ${makeRoom}`),
}

/** An extension: uploads of source archives. */
export function addUploadRoutes(add: AddOperation, { store, archives }: RouteParts, basePath: string): void {
  add(
    {
      method: 'post',
      path: '/v2/deployments/{deployment_id}/upload-url',
      operationId: 'createUploadUrl',
      summary: 'Get an address to upload a source archive to',
      description:
        `The address holds for ${minutes} minutes and one archive, and needs no API key. After the upload, a change with ` +
        '`source_revision_config.source_tarball_path` makes a revision of it.',
      params: deploymentParametersSchema,
      answers: { 200: ['The address, and the path of the archive.', uploadAddressSchema] },
      errors: {
        400: "The deployment's source isn't internal_source.",
        404: 'No such deployment.',
        409: 'The deployment is being deleted.',
        501: 'The service keeps no archives.',
      },
      writes: true,
    },
    async ({ target, context }) => {
      const deployment = await deploymentOf(store, target)
      if (archives === null) {
        throw refusal(
          501,
          'This service keeps no archives: it was started with --database and without --archives.',
        )
      }
      if (deployment.source !== 'internal_source') {
        throw refusal(400, "An upload URL is only available for 'internal_source' source deployments.")
      }
      if (deployment.status === 'AWAITING_DELETE')
        throw refusal(409, `Deployment ID ${target.id} is being deleted.`)
      const { place, query } = archives.grant({ tenantId: target.tenantId, deploymentId: deployment.id })
      await store.audit.append([changeEntry(context)])
      const upload_url = `${addressOf(context, basePath, place)}?${query}`
      return { upload_url, object_path: objectPathOf(place) }
    },
  )

  add(
    {
      method: 'put',
      path: `${uploadsPath}{tenant_id}/{deployment_id}/{archive_id}`,
      operationId: 'uploadArchive',
      summary: 'Upload a source archive',
      description: `A gzip archive of at most ${mebibytes} MiB, to an address from \`createUploadUrl\`.`,
      isOpen: true,
      params: uploadPathSchema,
      query: uploadParametersSchema,
      bodyType: 'application/gzip',
      answers: { 200: ['It is kept.', uploadedSchema] },
      errors: {
        400: "The archive isn't gzip, or the connection was closed before it was complete.",
        403: 'The address is wrong or has expired, or the request comes from a page of another origin.',
        404: 'The deployment is gone.',
        409: 'The address was used already.',
        411: 'The header Content-Length is missing.',
        413: `The archive is larger than ${mebibytes} MiB.`,
        415: "The header Content-Type isn't application/gzip.",
        503: "The database or the archives can't be used at the moment.",
        507: 'The disk is full, or archives take as much as they may: nothing was kept.',
      },
    },
    async ({ params, query, context }) => {
      const place: ArchivePlace = {
        tenantId: params.tenant_id.toLowerCase(),
        deploymentId: params.deployment_id.toLowerCase(),
        archiveId: params.archive_id.toLowerCase(),
      }
      const state = archives?.check(place, query) ?? 'wrong'
      if (archives === null || state !== 'right') {
        const detail = state === 'expired' ? 'This address has expired.' : 'This address is wrong.'
        throw refusal(403, `${detail} Ask for another one.`)
      }
      const size = sizeOf(context)
      if (size === null) throw refusal(411, 'The header Content-Length is missing.')
      if (size > limits.archiveBytes) throw refusal(413, `The archive is larger than ${mebibytes} MiB.`)
      const type = context.req.header('content-type')?.split(';')[0]!.trim().toLowerCase()
      if (type !== 'application/gzip') throw refusal(415, 'The header Content-Type must be application/gzip.')
      const { incoming } = context.env as { incoming: IncomingMessage }
      const saved = await archives.save(place, incoming, size)
      if (saved !== 'saved') throw refusals[saved]
      return { object_path: objectPathOf(place), bytes: size }
    },
  )
}

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
): string {
  const { incoming } = env as { incoming: IncomingMessage }
  const isEncrypted = incoming.socket instanceof TLSSocket
  const forwarded = /^https?$/.exec(req.header('x-forwarded-proto') ?? '')?.[0]
  const origin = `${forwarded ?? (isEncrypted ? 'https' : 'http')}://${new URL(req.url).host}`
  return `${origin}${basePath}${uploadsPath}${tenantId}/${deploymentId}/${archiveId}`
}
