import { isPending, statusAt, statusSince } from '../revision-times'
import { isOfTenant, nowMs } from './deployments'
import type { Statement } from './connection/servers'

const columns = `revisions.id, revisions.created_at, starts_at, ends_at,
                 ${statusAt(nowMs)} as status, ${statusSince(nowMs)} as since, number`

/** The revisions of a deployment that isn't gone: the time, its identifier, and its tenant. */
const ofDeployment = `from slipway.revisions join slipway.deployments on sequence = deployment_sequence
  where deployments.id = $2::uuid and ${isOfTenant} and (gone_at is null or gone_at > $1::timestamptz)`

/**
 * Finds revisions, the newest first. Parameters: the time, the deployment, its tenant, statuses (none for any), limit,
 * offset, and the largest config to read.
 */
export const selectRevisions: Statement = {
  name: 'revisions',
  text: `select * from (
           select ${columns}, deployment_sequence as sequence, octet_length(source_revision_config) as bytes,
                  case when octet_length(source_revision_config) <= $7 then source_revision_config end as config
           ${ofDeployment}
         ) as revisions
         where cardinality($4::text[]) = 0 or status = any($4::text[])
         order by number desc limit $5::bigint offset $6::bigint`,
}

/** Reads configs of revisions. Parameters: their deployment's sequence, and the revisions. */
export const selectConfigs: Statement = {
  name: 'revision-configs',
  text: `select id, source_revision_config as config from slipway.revisions
         where deployment_sequence = $1::bigint and id = any($2::uuid[])`,
}

/** Finds a revision. Parameters: the time, the deployment, its tenant, the revision. */
export const selectRevision: Statement = {
  name: 'revision',
  text: `select ${columns}, source_revision_config as config ${ofDeployment} and revisions.id = $4::uuid`,
}

/**
 * Finds the revisions that are queued or rolling out, the oldest first. Parameters: the time, the deployment, its
 * tenant.
 */
export const selectPending: Statement = {
  name: 'pending-revisions',
  text: `select revisions.id, starts_at, ends_at ${ofDeployment} and ${isPending(nowMs)} order by number`,
}

/** Changes the times of a revision. Parameters: the deployment's sequence, the revision, and the times. */
export const moveRevision: Statement = {
  name: 'move-revision',
  text: `update slipway.revisions set starts_at = $3, ends_at = $4, interrupted_at = $5
         where deployment_sequence = $1 and id = $2::uuid`,
}

/**
 * Adds the newest revision of a deployment. Parameters: its sequence, the revision, its creation time, its times, its
 * config.
 */
export const addRevision: Statement = {
  name: 'add-revision',
  text: `insert into slipway.revisions (
           deployment_sequence, id, created_at, starts_at, ends_at, interrupted_at, source_revision_config, number
         )
         select $1, $2::uuid, $3::timestamptz, $4::bigint, $5::bigint, $6::bigint, $7, coalesce(max(number), 0) + 1
         from slipway.revisions where deployment_sequence = $1`,
}
