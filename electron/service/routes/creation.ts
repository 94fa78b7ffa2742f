import { randomUUID } from 'node:crypto'
import type { z } from '@hono/zod-openapi'
import { checkRequest, type EnvironmentMode, type Finding, sourceLabels, sources } from '@contract'
import type { AuditEntry } from '../base/audit-entry'
import type { createBodySchema, DeploymentAnswer } from '../api/schemas'
import type { RouteParts } from './parts/route-parts'
import { createWithArchive, namedArchive } from './parts/named-archive'
import { checkReference } from './parts/reference'

export type CreateBody = z.infer<typeof createBodySchema>

/** The rules for creations. */
export interface CreationRules {
  mode: EnvironmentMode
  /** Whether a repository, its integration and its ref must be known. */
  checksRepositories: boolean
}

/** The environment of a creation. */
interface CreationContext extends CreationRules, RouteParts {
  tenantId: string
  /** The audit's entry for the deployment with an identifier. */
  entryOf: (id: string) => AuditEntry
}

/** The result of a creation: the deployment's JSON text, or the status and text of a refusal. */
export type Creation = { ok: true; document: string } | { ok: false; status: 400 | 409; detail: string }

/**
 * Creates a deployment with its first revision and its tracing project, or nothing at all (interface: Source
 * availability, Create a deployment; `checkRequest` has the rules). The deployment is READY after `provisionMs`
 * milliseconds.
 */
export async function createDeployment(
  { store, archives, mode, provisionMs, checksRepositories, tenantId, entryOf }: CreationContext,
  body: CreateBody,
): Promise<Creation> {
  const findings = checkRequest(body, mode).filter(({ level }) => level !== 'usual')
  if (findings.length > 0) {
    return { ok: false, status: 400, detail: findings.map(detailOf).join(' ') }
  }
  const reference = checksRepositories ? await checkReference(store.repositories, body, tenantId) : null
  if (reference?.ok === false) return { ok: false, status: 400, detail: detailOf(reference.finding) }
  const now = Date.now()
  const answer = newDeployment(body, tenantId, new Date(now).toISOString(), reference?.commit ?? null)
  const readyAt = new Date(now + provisionMs).toISOString()
  const created = await createWithArchive(
    archives,
    { tenantId, deploymentId: answer.id },
    namedArchive(body.source_revision_config),
    () => store.create({ answer, readyAt, tagValueIds: [] }, entryOf(answer.id)),
  )
  if (!created.ok) return { ok: false, status: 400, detail: created.detail }
  if (created.holder === null) return { ok: true, document: JSON.stringify(answer) }
  return {
    ok: false,
    status: 409,
    detail: `A ${created.holder} named "${body.name}" exists already. Choose another name.`,
  }
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
  }
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
