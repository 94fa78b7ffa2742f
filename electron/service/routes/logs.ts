import type { OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import {
  deploymentLogParametersSchema,
  itemPageSchema,
  logBodySchema,
  logPageSchema,
  logParametersSchema,
  type LogQuery,
} from '../api/log-schemas'
import { revisionPathSchema } from '../api/life-schemas'
import { deploymentParametersSchema } from '../api/schemas'
import type { Target } from '../database/deployments'
import type { Store } from '../database/store'
import { buildLog, type Log, serverLog } from './log-lines'
import { addOperation } from './operation'
import { noDeployment, noRevision, targetOf } from './parts'

type LogType = 'build' | 'deploy'

const page = ['A page of the log.', logPageSchema] as const
const noSuchRevision = 'No such deployment, or it has no such revision.'

/** An extension: logs of simulated builds and servers. */
export function addLogRoutes(app: OpenAPIHono, store: Store): void {
  /** A page of a revision's log, or the answer that there is no such revision. */
  async function answerLog(
    context: Context,
    target: Target,
    revisionId: string,
    type: LogType,
    query: LogQuery,
  ) {
    const now = Date.now()
    const deployment = await store.deployments.get(target, now)
    const found = await store.revisions.get(target, revisionId, now)
    if (deployment === null || found === null) return noRevision(context, revisionId)
    const log = type === 'build' ? buildLog(found, deployment.source, now) : serverLog(found, now)
    return context.json(pageOf(log, query), 200)
  }

  /** The log of the latest revision of a deployment that has one; null if there is no such deployment. */
  async function latestLog(target: Target, type: LogType): Promise<Log | null> {
    const now = Date.now()
    const deployment = await store.deployments.get(target, now)
    if (deployment === null) return null
    const statuses = type === 'build' ? [] : (['DEPLOYING', 'DEPLOYED'] as const)
    const [latest] = await store.revisions.find(target, { limit: 1, offset: 0, statuses }, now)
    if (latest === undefined) return { lines: [], isComplete: true }
    return type === 'build' ? buildLog(latest, deployment.source, now) : serverLog(latest, now)
  }

  addOperation(
    app,
    {
      tag: 'extension',
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
    (context, { params, query: { type, ...query } }) =>
      answerLog(context, targetOf(context, params), params.revision_id, type, query),
  )

  addOperation(
    app,
    {
      tag: 'extension',
      method: 'get',
      path: '/v2/deployment-logs',
      operationId: 'getDeploymentLogs',
      summary: 'Read the logs of a deployment or of a revision, page by page by a cursor',
      query: deploymentLogParametersSchema,
      answers: { 200: ['A page of the log.', itemPageSchema] },
      errors: { 404: noSuchRevision },
    },
    async (context, { query: { deployment_id, revision_id, log_type, cursor, ...rest } }) => {
      const target = targetOf(context, { deployment_id })
      const query = { ...rest, offset: cursor }
      const itemsOf = ({ logs, next_offset }: z.infer<typeof logPageSchema>) =>
        context.json({ items: logs, next_cursor: next_offset }, 200)
      if (revision_id) {
        const answer = await answerLog(context, target, revision_id, log_type, query)
        return answer.ok ? itemsOf((await answer.json()) as z.infer<typeof logPageSchema>) : answer
      }
      const log = await latestLog(target, log_type)
      return log === null ? noDeployment(context, target) : itemsOf(pageOf(log, query))
    },
  )

  for (const type of ['build', 'deploy'] as const) {
    addOperation(
      app,
      {
        tag: 'extension',
        method: 'post',
        path: `/v1/projects/{deployment_id}/revisions/{revision_id}/${type}_logs`,
        operationId: type === 'build' ? 'readBuildLogs' : 'readDeployLogs',
        summary: `Read the ${type === 'build' ? 'build' : 'server'} log of a revision, as older clients do`,
        params: revisionPathSchema,
        body: logBodySchema,
        answers: { 200: page },
        errors: { 404: noSuchRevision },
      },
      (context, { params, body }) =>
        answerLog(context, targetOf(context, params), params.revision_id, type, body),
    )
  }

  addOperation(
    app,
    {
      tag: 'extension',
      method: 'post',
      path: '/v1/projects/{deployment_id}/deploy_logs',
      operationId: 'readDeploymentLogs',
      summary: 'Read the server log of the latest revision that has one',
      params: deploymentParametersSchema,
      body: logBodySchema,
      answers: { 200: page },
      errors: { 404: 'No such deployment.' },
    },
    async (context, { params, body }) => {
      const target = targetOf(context, params)
      const log = await latestLog(target, 'deploy')
      return log === null ? noDeployment(context, target) : context.json(pageOf(log, body), 200)
    },
  )
}

/** A page of a log. An offset is the number of a line, so new lines don't shift the others. */
function pageOf({ lines, isComplete }: Log, requested: LogQuery): z.infer<typeof logPageSchema> {
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
