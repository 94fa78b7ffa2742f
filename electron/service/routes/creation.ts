import { randomUUID } from 'node:crypto'
import { checkRequest, type EnvironmentMode, type Finding, sourceLabels, sources } from '@contract'
import type { CreateBody, DeploymentAnswer } from '../api/schemas'
import type { AuditEntry } from '../base/audit-entry'
import { namedArchive } from '../database/archives'
import type { RouteParts } from './parts'
import { checkReference } from './reference'

/** The result of a creation: the deployment, or the status and text of a refusal. */
export type Creation =
  { ok: true; answer: DeploymentAnswer } | { ok: false; status: 400 | 409; detail: string }

/**
 * Creates a deployment with its first revision and its tracing project, or nothing at all (interface: Source
 * availability, Create a deployment; `checkRequest` has the rules). The deployment is READY after `provisionMs`
 * milliseconds.
 *
 * @param entryOf gives the audit's entry for the deployment with an identifier
 */
export async function createDeployment(
  { store, archives, mode, provisionMs, checksRepositories }: RouteParts,
  body: CreateBody,
  tenantId: string,
  entryOf: (id: string) => AuditEntry,
): Promise<Creation> {
  const findings = findingsOf(body, mode)
  if (findings.length > 0) return { ok: false, status: 400, detail: findings.join(' ') }
  const reference = checksRepositories ? await checkReference(store.repositories, body, tenantId) : null
  if (reference?.ok === false) return { ok: false, status: 400, detail: detailOf(reference.finding) }
  const now = Date.now()
  const answer = newDeployment(body, tenantId, new Date(now).toISOString(), reference?.commit ?? null)
  const readyAt = new Date(now + provisionMs).toISOString()
  const archive = archives === null ? null : namedArchive(body.source_revision_config)
  const deployment = { answer, readyAt, tagValueIds: [], failure: null }
  const holder = await store.create(deployment, entryOf(answer.id), archive)
  if (holder === null) return { ok: true, answer }
  if (holder === 'no archive') return { ok: false, status: 400, detail: noArchive(archive!) }
  const detail = `A ${holder} named "${body.name}" exists already. Choose another name.`
  return { ok: false, status: 409, detail }
}

/** The longest path that an answer repeats. Longer ones are cut. */
const longestPath = 120

/** Why a request can't name an archive. */
export function noArchive(path: string): string {
  const shown = path.length > longestPath ? `${path.slice(0, longestPath)}...` : path
  return `source_revision_config.source_tarball_path: there is no archive ${shown}. Upload it first.`
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
export function detailOf({ path, message }: Finding): string {
  const member = path.join('.')
  const text = sources.reduce(
    (rest, source) => rest.replaceAll(`"${sourceLabels[source]}"`, `"${source}"`),
    message,
  )
  return text.startsWith(member) ? text : `${member}: ${text}`
}
