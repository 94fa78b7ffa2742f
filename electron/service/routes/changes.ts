import { randomUUID } from 'node:crypto'
import type { CreateRequest, EnvironmentMode } from '@contract'
import type { Context } from 'hono'
import { changeEntry } from '../access/audit'
import { refusal } from '../api/errors'
import type { ChangeBody, RevisionAnswer, RevisionBody } from '../api/life-schemas'
import type { DeploymentAnswer, SourceRevisionConfigAnswer } from '../api/schemas'
import { limits } from '../base/limits'
import type { Target } from '../database/deployments'
import {
  type PendingRevision,
  revisionAt,
  type RevisionTimes,
  type WholeRevision,
} from '../database/revisions'
import type { Decide, HeldDeployment, Store } from '../database/store'
import { isoOf } from '../database/times'
import { findingsOf, type FoundRef, noArchive } from './creation'
import { noDeployment, noRevision } from './operation'

/** When a change is made, and how long a revision takes, in milliseconds. */
export interface Pace {
  now: number
  durationMs: number
}

/**
 * Changes a deployment as `decide` says, which throws refusals, together with its entry of the audit.
 *
 * @throws {HTTPException} if there is no such deployment
 */
export async function changed<Result extends object>(
  store: Store,
  target: Target,
  about: { context: Context; now: number; revisionId?: string; archivePath?: string | null },
  decide: Decide<Result>,
): Promise<Result> {
  const { context, ...rest } = about
  const result = await store.change(
    target,
    { ...rest, entry: changeEntry(context, { id: target.id.toLowerCase() }) },
    decide,
  )
  if (result === null) throw noDeployment(target)
  return result
}

/** Refuses to change a deployment that is being deleted. */
function requireStaying({ answer, goneAt }: HeldDeployment): void {
  if (goneAt !== null) throw refusal(409, `Deployment ID ${answer.id} is being deleted.`)
}

/** Changes a deployment, and gives its new state. */
export const changing =
  (body: ChangeBody, mode: EnvironmentMode, pace: Pace, found: FoundRef): Decide<DeploymentAnswer> =>
  (held) => {
    requireStaying(held)
    const { answer } = held
    const fixed = fixedMember(body, answer)
    if (fixed !== null) throw refusal(400, `${fixed} can't be changed.`)
    const changed = merged(answer, body)
    const known = new Set(findingsOf(answer, mode))
    const findings = findingsOf(changed as CreateRequest, mode).filter((finding) => !known.has(finding))
    if (findings.length > 0) throw refusal(400, findings.join(' '))
    const isResized = answer.source === 'external_docker' && Boolean(body.source_config?.resource_spec)
    if (isResized || needsRevision(body)) {
      const { change } = withRevision({ ...held, answer: changed }, pace, found)
      return { change, result: change.answer }
    }
    const after = { ...changed, updated_at: isoOf(pace.now) }
    return { change: { answer: after, readyAt: nextEnd(held.pending), goneAt: null }, result: after }
  }

/** Whether a change needs a new revision, whatever its deployment's source. */
export function needsRevision(body: ChangeBody): boolean {
  return (body.secrets ?? []).length > 0 || hasValues(body.source_revision_config ?? {})
}

/** Adds a revision, and gives it. */
export const revising =
  (body: RevisionBody, pace: Pace, found: FoundRef): Decide<RevisionAnswer> =>
  (held) => {
    requireStaying(held)
    const { change, revision } = withRevision({ ...held, answer: merged(held.answer, body) }, pace, found)
    return { change, result: revision }
  }

/** Adds a revision with the config of an earlier one, and gives the deployment. */
export const redeploying =
  (id: string, pace: Pace): Decide<DeploymentAnswer> =>
  (held) => {
    requireStaying(held)
    if (held.revision === null) throw noRevision(id)
    const config = JSON.parse(held.revision.config) as SourceRevisionConfigAnswer
    const answer = { ...held.answer, source_revision_config: config }
    const { change } = withRevision({ ...held, answer }, pace, null)
    return { change, result: change.answer }
  }

/** Ends a revision before it is deployed, and gives it. */
export const interrupting =
  (id: string, now: number): Decide<RevisionAnswer> =>
  ({ answer, goneAt, revision, pending }) => {
    if (revision === null) throw noRevision(id)
    if (revision.status === 'INTERRUPTED') {
      return { change: null, result: revisionAnswer(revision, answer.source) }
    }
    if (revision.status === 'BUILD_FAILED') {
      throw refusal(409, `Revision ID ${id} can't be interrupted: its build has failed.`)
    }
    // Another instance, whose clock is ahead, may have seen it deployed.
    if (revision.status === 'DEPLOYED' || revision.id === answer.active_revision_id) {
      throw refusal(409, `Revision ID ${id} can't be interrupted: it is deployed.`)
    }
    const { moved, left } = withoutRevision(revision, pending, now)
    const after = { ...answer, updated_at: isoOf(now) }
    // Its database exists, although nothing runs.
    if (left.length === 0 && after.status === 'AWAITING_DATABASE') after.status = 'READY'
    const readyAt = goneAt === null ? nextEnd(left) : null
    const interrupted = { ...revision, status: 'INTERRUPTED' as const, updated_at: after.updated_at }
    return {
      change: { answer: after, readyAt, goneAt, moved },
      result: revisionAnswer(interrupted, answer.source),
    }
  }

/** How a deployment is deleted. */
export interface Deletion {
  /** Whether its tracing project goes with it, so that its name is free afterwards. */
  delete_tracing_project?: boolean | null | undefined
  /** Whether it is gone at once. Only for one that is being deleted already. */
  force?: boolean | null | undefined
}

/** Starts to delete a deployment, or continues if that was started before. Gives when it is gone, in milliseconds. */
export const deleting =
  ({ now, durationMs }: Pace, how: Deletion): Decide<{ goneAt: number }> =>
  ({ answer, goneAt }) => {
    if (how.force && answer.status !== 'AWAITING_DELETE') {
      throw refusal(
        400,
        'force is only for a deployment that is AWAITING_DELETE: delete it without force first.',
      )
    }
    if (goneAt !== null && !how.force && !how.delete_tracing_project)
      return { change: null, result: { goneAt } }
    const gone = how.force ? now : (goneAt ?? now + durationMs)
    const change = {
      answer: { ...answer, status: 'AWAITING_DELETE' as const, updated_at: isoOf(now) },
      readyAt: null,
      goneAt: gone,
      freesName: how.delete_tracing_project ?? false,
    }
    return { change, result: { goneAt: gone } }
  }

/** Adds a revision of a deployment, which has the revision's config already. */
function withRevision(
  { answer, pending, hasArchive }: HeldDeployment,
  { now, durationMs }: Pace,
  found: FoundRef | null,
) {
  const stored = answer.source_revision_config
  if (!hasArchive) throw noArchive(stored.source_tarball_path!)
  if (pending.length >= limits.pendingRevisions) {
    throw refusal(409, `${pending.length} revisions are queued already. Wait until some are deployed.`)
  }
  // Another request may have changed the ref since it was looked up.
  const commit = stored.repo_ref === found?.ref ? (found?.commit ?? null) : null
  const config = found === null ? stored : { ...stored, repo_commit_sha: commit }
  const start = Math.max(now, pending.at(-1)?.ends_at ?? now)
  const added = { id: randomUUID(), starts_at: start, ends_at: start + durationMs, interrupted_at: null }
  const after: DeploymentAnswer = {
    ...answer,
    source_revision_config: config,
    latest_revision_id: added.id,
    updated_at: isoOf(now),
  }
  const made = revisionAt({ ...added, created_at: now, status_message: null }, now)
  return {
    change: { answer: after, readyAt: nextEnd([...pending, added]), goneAt: null, added },
    revision: revisionAnswer({ ...made, config: JSON.stringify(config) }, answer.source),
  }
}

/** The answer for a revision of a deployment with this source. */
export function revisionAnswer(
  { id, status, status_message, config, created_at, updated_at }: WholeRevision,
  source: DeploymentAnswer['source'],
): RevisionAnswer {
  return {
    ...{ id, status, source, created_at, updated_at },
    ...(status_message === null ? {} : { status_message }),
    source_revision_config: JSON.parse(config) as SourceRevisionConfigAnswer,
  }
}

/** The times of an interrupted revision, and of the later ones, which no longer wait for it. */
function withoutRevision(
  { id, starts_at, ends_at }: WholeRevision,
  pending: readonly PendingRevision[],
  now: number,
) {
  const ended = { id, starts_at: starts_at ?? now, ends_at: ends_at ?? now, interrupted_at: now }
  const left: (RevisionTimes & PendingRevision)[] = []
  for (const other of pending.filter((revision) => revision.id !== id)) {
    // A revision that has started isn't moved.
    const earliest = Math.max(now, left.at(-1)?.ends_at ?? now)
    const start = other.starts_at <= now ? other.starts_at : Math.min(other.starts_at, earliest)
    const end = start + other.ends_at - other.starts_at
    left.push({ id: other.id, starts_at: start, ends_at: end, interrupted_at: null })
  }
  return { moved: [ended, ...left], left }
}

/** When the next of some revisions is deployed, in milliseconds; null if none will be. */
function nextEnd(revisions: readonly PendingRevision[]): number | null {
  return revisions.length === 0 ? null : Math.min(...revisions.map((one) => one.ends_at))
}

/** The deployment with the members of a change that aren't null. Values of secrets aren't stored. */
function merged(answer: DeploymentAnswer, body: ChangeBody): DeploymentAnswer {
  const { source_revision_config: revision, secrets } = body
  // What can't be changed keeps its stored form: the change may have it in upper case.
  const { integration_id, repo_url, deployment_type, listener_id, listener_config, ...config } =
    body.source_config ?? {}
  return {
    ...answer,
    source_config: { ...answer.source_config, ...valuesOf(config) },
    source_revision_config: { ...answer.source_revision_config, ...valuesOf(revision ?? {}) },
    secrets:
      secrets && secrets.length > 0 ? secrets.map(({ name }) => ({ name, value: '' })) : answer.secrets,
    secret_references: body.secret_references ?? answer.secret_references,
  }
}

/** Members that are present. */
type Present<Members> = { [Name in keyof Members]?: NonNullable<Members[Name]> }

const valuesOf = <Members extends object>(members: Members): Present<Members> =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== null && value !== undefined),
  ) as Present<Members>

const hasValues = (members: object): boolean => Object.keys(valuesOf(members)).length > 0

/** The first member that a change must not change, but does; null if there is none. */
function fixedMember(body: ChangeBody, answer: DeploymentAnswer): string | null {
  const differs = (wanted: string | null | undefined, stored: string | null | undefined): boolean =>
    wanted !== null && wanted !== undefined && wanted.toLowerCase() !== stored?.toLowerCase()
  const config = body.source_config ?? {}
  if (body.name !== null && body.name !== undefined && body.name !== answer.name) return 'name'
  if (differs(body.source, answer.source)) return 'source'
  if (differs(body.revision_source, answer.source)) return 'revision_source'
  for (const member of ['integration_id', 'repo_url', 'deployment_type', 'listener_id'] as const) {
    if (differs(config[member], answer.source_config[member])) return `source_config.${member}`
  }
  const namespace = answer.source_config.listener_config?.k8s_namespace
  const isOther = config.listener_config && differs(config.listener_config.k8s_namespace, namespace)
  return isOther ? 'source_config.listener_config.k8s_namespace' : null
}
