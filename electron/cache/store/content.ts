import { createHash } from 'node:crypto'
import {
  answerLimits,
  cachedDeploymentSchema,
  foldName,
  type DeploymentSummary,
  pageLimits,
  parseAnswer,
  readList,
  shortText,
  summarise,
  withoutSecretValues,
} from '@contract'
import { exactly, parseExact } from '@contract/core/exact-json'
import { orderKey } from '@contract/core/order'
import { agentKey } from '@domain/agents/identity'
import { versionKey, versionOf } from '@domain/agents/version'
import { storable, toKey } from './database'

/** The service's answer doesn't follow the interface. Nothing was written. */
export class UnreadableAnswer extends Error {}

/** A deployment as it is stored. */
export interface Content {
  id: string
  /** `id` as it is stored and looked up. */
  key: string
  /** Checksum of `json`. */
  hash: string
  /** The resource from the answer, without values of secrets. */
  json: string
  /** The members that the list and the board show, as JSON text: a `CachedSummary` without its times. */
  shown: string
  /** Its agent and its version, as keys (`electron/domain/agents`). */
  agent: string
  version: string
  /** Values of the summary columns, in the order of `summaryColumns`. */
  summary: (string | null)[]
  /** The text for the search index: the value of the column `search`. */
  search: string
  name: string
  created_at: string | null
  updated_at: string | null
}

/** The columns for searching and sorting. */
export const summaryColumns = [
  'name',
  'name_order',
  'source',
  'status',
  'latest_revision_id',
  'active_revision_id',
  'image_version',
  'created_at',
  'updated_at',
  'deployment_type',
  'runs_order',
  'search',
  'identifiers',
] as const

/** The readable deployments of an answer of List deployments, and its other content. */
export interface PageContent {
  contents: Content[]
  received: number
  unreadable: number
  returnedOffset: number | null
}

/** Reads the body of an answer of List deployments; null if it isn't one, or has more entries than a page may have. */
export function readPageBody(body: Uint8Array): PageContent | null {
  const page = readList(parse(body), pageLimits.max)
  if (!page.ok) return null
  const contents: Content[] = []
  let unreadable = 0
  const indexById = new Map<string, number>()
  for (const resource of page.value.resources) {
    const content = readContent(resource)
    if (!content) {
      unreadable += 1
      if (unreadable > answerLimits.unreadable) return null
      continue
    }
    // If an answer repeats a deployment, the last one counts.
    const place = indexById.get(content.id)
    if (place === undefined) indexById.set(content.id, contents.push(content) - 1)
    else contents[place] = content
  }
  return { contents, received: page.value.resources.length, unreadable, returnedOffset: page.value.offset }
}

/** Reads the JSON of one deployment; null if it isn't one. */
export function readDeploymentBody(body: Uint8Array): Content | null {
  return readContent(parse(body))
}

/**
 * Parses the body of an answer; undefined if that isn't possible. `withoutSecrets` refuses what is nested too deeply, and
 * a short body can't have too many values, so only a long one is looked through for both, which takes longer than parsing.
 */
function parse(body: Uint8Array): unknown {
  if (body.byteLength > answerLimits.values) {
    const answer = parseAnswer(body)
    return answer.ok ? answer.value : undefined
  }
  try {
    return parseExact(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}

/** The checksum of a stored text. */
function checksum(content: string): string {
  return createHash('sha256').update(content).digest('base64')
}

/** Reads a resource; null if it is nested too deep for the stack. */
function readContent(resource: unknown): Content | null {
  const harmless = withoutSecrets(resource)
  const { text: json, value } = exactly(harmless)
  const read = cachedDeploymentSchema.safeParse(value)
  if (!read.success) return null
  const { source_config, source_revision_config, tenant_id } = read.data
  const summary = summarise(read.data)
  const deployment_type = shortText(source_config.deployment_type)
  const runs = runningSource(summary)
  const columns = {
    ...summary,
    deployment_type,
    name_order: orderKey(summary.name),
    runs_order: runs === null ? null : orderKey(runs),
    search: lines([
      summary.name,
      summary.repo_url,
      summary.repo_ref,
      summary.image_uri,
      summary.source_tarball_path,
      summary.id,
    ]),
    identifiers: lines(
      [
        summary.id,
        summary.integration_id,
        tenant_id,
        summary.latest_revision_id,
        summary.active_revision_id,
        source_config.listener_id,
        source_revision_config.repo_commit_sha,
      ].map(shortText),
    ),
  }
  const { repo_url } = source_config
  const { name, agent: stated, image_version } = read.data
  const agent_id = stated?.agent_id ?? null
  const agent = agentKey({ ...source_revision_config, agent_id, name, repo_url })
  const version = versionKey(versionOf({ ...source_revision_config, repo_url, image_version }))
  return {
    id: summary.id,
    key: toKey(summary.id),
    hash: checksum(json),
    json,
    shown: JSON.stringify({ ...summary, deployment_type }),
    agent,
    version,
    summary: summaryColumns.map((name) => storable(columns[name])),
    search: storable(columns.search),
    name: summary.name,
    created_at: summary.created_at,
    updated_at: summary.updated_at,
  }
}

function runningSource({
  repo_url,
  repo_ref,
  image_uri,
  source_tarball_path,
}: DeploymentSummary): string | null {
  if (repo_url !== null) return repo_ref === null ? repo_url : `${repo_url}@${repo_ref}`
  return image_uri ?? source_tarball_path
}

/** Folded values, one on each line, as the search compares them. */
function lines(values: (string | null)[]): string {
  return values
    .filter((value) => value !== null)
    .map(foldName)
    .join('\n')
}

/** An answer without values of secrets; undefined if it is nested too deep for the stack. */
export function withoutSecrets(resource: unknown): unknown {
  try {
    return withoutSecretValues(resource)
  } catch {
    return undefined
  }
}
