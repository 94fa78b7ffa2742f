import { randomUUID } from 'node:crypto'
import {
  checkRequest,
  type CreateRequest,
  type EnvironmentMode,
  type Finding,
  sourceLabels,
  sources,
} from '@contract'
import { refusal } from '../api/errors'
import type { RevisionBody } from '../api/life-schemas'
import type { CreateBody, DeploymentAnswer } from '../api/schemas'
import { namedArchive } from '../database/archives'
import type { Target } from '../database/deployments'
import type { Store } from '../database/store'
import type { AuditEntry } from '../database/tables'
import { deploymentOf, type RouteParts } from './operation'

/**
 * Creates a deployment with its first revision and its tracing project, or nothing at all (interface: Source
 * availability, Create a deployment; `checkRequest` has the rules). The deployment is READY after `provisionMs`
 * milliseconds.
 *
 * @param entryOf gives the audit's entry for the deployment with an identifier
 * @throws {HTTPException} the refusal
 */
export async function createDeployment(
  parts: RouteParts,
  body: CreateBody,
  tenantId: string,
  entryOf: (id: string) => AuditEntry,
): Promise<DeploymentAnswer> {
  const { store, mode, provisionMs, checkRepositories } = parts
  const findings = findingsOf(body, mode)
  if (findings.length > 0) throw refusal(400, findings.join(' '))
  const commit = checkRepositories ? await commitOf(store, body, tenantId) : null
  const now = Date.now()
  const answer = newDeployment(body, tenantId, new Date(now).toISOString(), commit)
  const archive = archivePathOf(parts, body.source_revision_config)
  const deployment = { answer, readyAt: now + provisionMs, tagValueIds: [], failure: null }
  const holder = await store.create(deployment, entryOf(answer.id), archive)
  if (holder === 'no archive') throw noArchive(archive!)
  if (holder !== null)
    throw refusal(409, `A ${holder} named "${body.name}" exists already. Choose another name.`)
  return answer
}

/** The longest path that an answer repeats. Longer ones are cut. */
const longestPath = 120

/** The refusal of a request that names an archive. */
export function noArchive(path: string): Error {
  const shown = path.length > longestPath ? `${path.slice(0, longestPath)}...` : path
  return refusal(
    400,
    `source_revision_config.source_tarball_path: there is no archive ${shown}. Upload it first.`,
  )
}

/** The deployment that a request describes, in its state right after creation. */
function newDeployment(
  body: CreateBody,
  tenantId: string,
  createdAt: string,
  commit: string | null,
): DeploymentAnswer {
  const { source_config: config, source_revision_config: revision } = body
  return {
    id: randomUUID(),
    name: body.name,
    source: body.source,
    source_config: {
      integration_id: config.integration_id?.toLowerCase() ?? null,
      repo_url: config.repo_url ?? null,
      build_on_push: config.build_on_push ?? null,
      custom_url: config.custom_url ?? null,
      resource_spec: config.resource_spec ?? null,
      listener_id: config.listener_id?.toLowerCase() ?? null,
      listener_config: config.listener_config
        ? { k8s_namespace: config.listener_config.k8s_namespace ?? null }
        : null,
      install_command: config.install_command ?? null,
      build_command: config.build_command ?? null,
      ...(config.deployment_type ? { deployment_type: config.deployment_type } : {}),
    },
    source_revision_config: {
      repo_ref: revision.repo_ref ?? null,
      graph_config_path: revision.graph_config_path ?? null,
      image_uri: revision.image_uri ?? null,
      source_tarball_path: revision.source_tarball_path ?? null,
      repo_commit_sha: commit,
    },
    secrets: body.secrets.map(({ name }) => ({ name, value: '' })),
    secret_references: body.source === 'external_docker' ? (body.secret_references ?? null) : null,
    tenant_id: tenantId,
    created_at: createdAt,
    updated_at: createdAt,
    status: 'AWAITING_DATABASE',
    latest_revision_id: randomUUID(),
    active_revision_id: null,
    image_version: null,
    ...(body.agent ? { agent: body.agent } : {}),
    ...(typeof body.is_preview === 'boolean' ? { is_preview: body.is_preview } : {}),
  }
}

/** What is wrong with a request, in the interface's terms. */
export function findingsOf(request: Parameters<typeof checkRequest>[0], mode: EnvironmentMode): string[] {
  return checkRequest(request, mode)
    .filter(({ level }) => level !== 'usual')
    .map(detailOf)
}

/** A finding in the interface's terms: with its member's path, and with sources as values instead of labels. */
function detailOf({ path, message }: Finding): string {
  const member = path.join('.')
  const text = sources.reduce(
    (rest, source) => rest.replaceAll(`"${sourceLabels[source]}"`, `"${source}"`),
    message,
  )
  return text.startsWith(member) ? text : `${member}: ${text}`
}

/** What refers to a repository: a creation, or a new revision of a deployment. */
type Referring = Pick<CreateRequest, 'source'> & {
  source_config: Pick<CreateRequest['source_config'], 'integration_id' | 'repo_url'>
  source_revision_config: Pick<CreateRequest['source_revision_config'], 'repo_ref'>
}

/** A ref may be a commit itself. Nothing tells whether it exists. */
const commitSha = /^(?:[\da-f]{40}|[\da-f]{64})$/i

/**
 * Looks up the repository of a deployment and its ref among the known ones (interface: Create a deployment, rule 1).
 * Other sources have no repository. If a repository's refs aren't known, any ref is accepted. Gives the ref's commit, if
 * known.
 */
async function commitOf(
  { repositories }: Pick<Store, 'repositories'>,
  { source, source_config: config, source_revision_config: revision }: Referring,
  tenantId: string,
): Promise<string | null> {
  const [integrationId, url, ref] = [config.integration_id, config.repo_url, revision.repo_ref]
  if (source !== 'repohost' || !integrationId || !url || !ref) return null
  // No stored text contains this character, and PostgreSQL refuses texts that do.
  const known = url.includes('\0') ? 'no repository' : await repositories.find(integrationId, url, tenantId)
  if (known === 'no integration') {
    throw unknown(['source_config', 'integration_id'], `There is no integration ${integrationId}.`)
  }
  if (known === 'no repository') {
    throw unknown(
      ['source_config', 'repo_url'],
      'The integration has no repository of this URL. List its repositories.',
    )
  }
  const { refs } = known
  if (refs === null && !ref.includes('\0')) return null
  // A branch takes precedence over a tag of the same name.
  const names = ref.startsWith('refs/') ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`]
  const found = names.find((name) => Object.hasOwn(refs ?? {}, name))
  if (found !== undefined) return refs![found]!
  if (commitSha.test(ref)) return ref.toLowerCase()
  throw unknown(['source_revision_config', 'repo_ref'], 'The repository has no such branch or tag.')
}

const unknown = (path: string[], message: string): Error =>
  refusal(400, detailOf({ level: 'certain', path, message }))

/** The commit of a ref that was looked up. Both are null if none was, or no commit is known. */
export interface FoundRef {
  ref: string | null
  commit: string | null
}

/** No ref was looked up. */
export const noRef: FoundRef = { ref: null, commit: null }

type RequestedConfig = RevisionBody['source_revision_config']

/** The path of an archive that a request names, if the service has archives; otherwise null. */
export function archivePathOf({ archives }: RouteParts, config: RequestedConfig): string | null {
  return archives === null ? null : namedArchive(config)
}

/**
 * Makes sure that a deployment can get a revision with the config of a request: its repository and ref are known where
 * that is checked.
 *
 * @throws {HTTPException} if they aren't, or there is no such deployment
 */
export async function findRef(
  { store, checkRepositories }: RouteParts,
  target: Target,
  config: RequestedConfig,
): Promise<FoundRef> {
  if (!checkRepositories) return noRef
  const deployment = await deploymentOf(store, target)
  const ref = config?.repo_ref ?? deployment.source_revision_config.repo_ref
  const referring = { ...deployment, source_revision_config: { repo_ref: ref } }
  return { ref, commit: await commitOf(store, referring, target.tenantId) }
}
