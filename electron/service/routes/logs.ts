import type { z } from '@hono/zod-openapi'
import {
  deploymentLogParametersSchema,
  itemPageSchema,
  logBodySchema,
  logPageSchema,
  logParametersSchema,
  type LogQuery,
  revisionPathSchema,
} from '../api/life-schemas'
import { deploymentParametersSchema } from '../api/schemas'
import type { Target } from '../database/deployments'
import type { Store } from '../database/store'
import { buildLog, type Log, serverLog } from './log-lines'
import { type AddOperation, deploymentOf, noRevision } from './operation'

type LogType = 'build' | 'deploy'
type LogPage = z.infer<typeof logPageSchema>

const page = ['A page of the log.', logPageSchema] as const
const noSuchRevision = 'No such deployment, or it has no such revision.'

/** An extension: logs of simulated builds and servers. */
export function addLogRoutes(add: AddOperation, store: Store): void {
  /** A page of the log of a revision or, without one, of the latest that has a log. */
  async function logPage(
    target: Target,
    revisionId: string | null | undefined,
    type: LogType,
    query: LogQuery,
  ): Promise<LogPage> {
    const now = Date.now()
    const found = revisionId ? await store.revisions.get(target, revisionId, now) : await latest(target, type)
    if (revisionId && found === null) throw noRevision(revisionId)
    const { source } = await deploymentOf(store, target)
    if (!found) return pageOf({ lines: [], isComplete: true }, query)
    return pageOf(type === 'build' ? buildLog(found, source, now) : serverLog(found, now), query)
  }

  async function latest(target: Target, type: LogType) {
    const statuses = type === 'build' ? [] : (['DEPLOYING', 'DEPLOYED'] as const)
    const [found] = await store.revisions.find(target, { limit: 1, offset: 0, statuses }, Date.now())
    return found
  }

  add(
    {
      method: 'get',
      path: '/v2/deployments/{deployment_id}/revisions/{revision_id}/logs',
      operationId: 'getRevisionLogs',
      summary: 'Read the logs of a revision',
      description: 'They are simulated, and the same every time.',
      params: revisionPathSchema,
      query: logParametersSchema,
      answers: { 200: page },
      errors: { 404: noSuchRevision },
    },
    ({ target, params, query: { type, ...query } }) => logPage(target, params.revision_id, type, query),
  )

  add(
    {
      method: 'get',
      path: '/v2/deployment-logs',
      operationId: 'getDeploymentLogs',
      summary: 'Read the logs of a deployment or of a revision, page by page by a cursor',
      query: deploymentLogParametersSchema,
      answers: { 200: ['A page of the log.', itemPageSchema] },
      errors: { 404: noSuchRevision },
    },
    async ({ target, query: { deployment_id: id, revision_id, log_type, cursor, ...rest } }) => {
      const query = { ...rest, offset: cursor }
      const found = await logPage({ ...target, id }, revision_id, log_type, query)
      return { items: found.logs, next_cursor: found.next_offset }
    },
  )

  for (const type of ['build', 'deploy'] as const) {
    add(
      {
        method: 'post',
        path: `/v1/projects/{deployment_id}/revisions/{revision_id}/${type}_logs`,
        operationId: type === 'build' ? 'readBuildLogs' : 'readDeployLogs',
        summary: `Read the ${type === 'build' ? 'build' : 'server'} log of a revision, as older clients do`,
        params: revisionPathSchema,
        body: logBodySchema,
        answers: { 200: page },
        errors: { 404: noSuchRevision },
      },
      ({ target, params, body }) => logPage(target, params.revision_id, type, body),
    )
  }

  add(
    {
      method: 'post',
      path: '/v1/projects/{deployment_id}/deploy_logs',
      operationId: 'readDeploymentLogs',
      summary: 'Read the server log of the latest revision that has one',
      params: deploymentParametersSchema,
      body: logBodySchema,
      answers: { 200: page },
      errors: { 404: 'No such deployment.' },
    },
    ({ target, body }) => logPage(target, null, 'deploy', body),
  )
}

/** A page of a log. An offset is the number of a line, so new lines don't shift the others. */
function pageOf({ lines, isComplete }: Log, requested: LogQuery): LogPage {
  const { order, limit, offset } = requested
  const isAscending = order === 'asc'
  const from = offset === null || offset === undefined ? (isAscending ? 0 : lines.length) : Number(offset)
  const matches = lines
    .map((line, index) => ({ line, index }))
    .filter(({ line, index }) => (isAscending ? index >= from : index < from) && isRequested(line, requested))
  if (!isAscending) matches.reverse()
  const next = matches[limit]?.index
  const end = isAscending && !isComplete ? String(lines.length) : null
  return {
    logs: matches.slice(0, limit).map(({ line }) => line),
    next_offset: next === undefined ? end : String(isAscending ? next : next + 1),
  }
}

function isRequested(
  { timestamp, level, message }: Log['lines'][number],
  { query, level: wanted, start_time, end_time }: LogQuery,
): boolean {
  const time = Date.parse(timestamp)
  return (
    (!query || message.toLowerCase().includes(query.toLowerCase())) &&
    (!wanted || level === wanted) &&
    (!start_time || time >= timeOf(start_time)) &&
    (!end_time || time < timeOf(end_time))
  )
}

/** A time without a zone is UTC. */
const timeOf = (text: string): number => Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`)
