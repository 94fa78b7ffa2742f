import { createHash } from 'node:crypto'
import {
  deploymentSchema,
  type DeploymentSummary,
  listAnswerSchema,
  summarise,
  withoutSecretValues,
} from '@contract'

/** A deployment as it is stored. */
export interface Content {
  id: string
  /** Checksum of `json`. */
  hash: string
  /** The resource as it was answered, secret values emptied. */
  json: string
  /** Values of the summary columns, in the order of `summaryColumns`. */
  summary: (string | null)[]
  /** What the search index holds: the value of the column `search`. */
  search: string
  name: string
  created_at: string | null
  updated_at: string | null
}

/** The summary columns after `id`. */
export const summaryColumns = [
  'name',
  'source',
  'status',
  'repo_url',
  'repo_ref',
  'image_uri',
  'source_tarball_path',
  'integration_id',
  'latest_revision_id',
  'active_revision_id',
  'image_version',
  'created_at',
  'updated_at',
  'deployment_type',
  'runs',
  'search',
  'identifiers',
] as const

/** The readable deployments of an answer of List deployments, and what else the answer says. */
export interface PageContent {
  contents: Content[]
  received: number
  unreadable: number
  returnedOffset: number
}

/** Reads the text of an answer of List deployments; null when it is not one. */
export function readPageText(text: string): PageContent | null {
  const page = listAnswerSchema.safeParse(parse(text))
  if (!page.success) return null
  const contents: Content[] = []
  let unreadable = 0
  const places = new Map<string, number>()
  for (const resource of page.data.resources) {
    const content = readContent(resource)
    if (!content) {
      unreadable += 1
      continue
    }
    // An answer that repeats a deployment counts once, with what it said last.
    const place = places.get(content.id)
    if (place === undefined) places.set(content.id, contents.push(content) - 1)
    else contents[place] = content
  }
  return { contents, received: page.data.resources.length, unreadable, returnedOffset: page.data.offset }
}

/** Reads the text of one deployment; null when it is none. */
export function readDeploymentText(text: string): Content | null {
  return readContent(parse(text))
}

/** The checksum of a stored text, or of a body. */
export function checksum(content: string | Uint8Array): string {
  return createHash('sha1').update(content).digest('base64')
}

/** Reads a resource. One that is nested more deeply than the stack bears cannot be read. */
function readContent(resource: unknown): Content | null {
  const harmless = withoutSecrets(resource)
  const read = deploymentSchema.safeParse(harmless)
  if (!read.success) return null
  const json = JSON.stringify(harmless)
  const { source_config, source_revision_config, tenant_id } = read.data
  const summary = summarise(read.data)
  const columns = {
    ...summary,
    deployment_type: source_config.deployment_type,
    runs: whatRuns(summary),
    search: lines([
      summary.name,
      summary.repo_url,
      summary.repo_ref,
      summary.image_uri,
      summary.source_tarball_path,
      summary.id,
    ]),
    identifiers: lines([
      summary.id,
      summary.integration_id,
      tenant_id,
      summary.latest_revision_id,
      summary.active_revision_id,
      source_config.listener_id,
      source_revision_config.repo_commit_sha,
    ]),
  }
  return {
    id: summary.id,
    hash: checksum(json),
    json,
    summary: summaryColumns.map((name) => columns[name]),
    search: columns.search,
    name: summary.name,
    created_at: summary.created_at,
    updated_at: summary.updated_at,
  }
}

function whatRuns({ repo_url, repo_ref, image_uri, source_tarball_path }: DeploymentSummary): string | null {
  if (repo_url !== null) return repo_ref === null ? repo_url : `${repo_url}@${repo_ref}`
  return image_uri ?? source_tarball_path
}

/** Values in lower case, a line each, as the search compares them. */
function lines(values: (string | null)[]): string {
  return values
    .filter((value) => value !== null)
    .join('\n')
    .toLowerCase()
}

function withoutSecrets(resource: unknown): unknown {
  try {
    return withoutSecretValues(resource)
  } catch {
    return undefined
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
