import { randomUUID } from 'node:crypto'
import type { CreateRequest, EnvironmentMode } from '@contract'
import type { ChangeBody, RevisionAnswer, RevisionBody } from '../api/life-schemas'
import type { DeploymentAnswer, SourceRevisionConfigAnswer } from '../api/schemas'
import { limits } from '../base/limits'
import type { NewRevision, PendingRevision, Revision, RevisionTimes } from '../database/revisions'
import type { Decide, HeldDeployment } from '../database/store'
import { findingsOf, noArchive } from './creation'

/** Why a deployment isn't changed: the status and text of the answer. */
interface Refused {
  ok: false
  status: 400 | 404 | 409
  detail: string
}

/** The result of a change: the value for the answer, or why it isn't made. */
export type Changed<Value> = { ok: true; value: Value } | Refused

/** When a change is made, and how long a revision takes, in milliseconds. */
export interface Pace {
  now: number
  durationMs: number
}

/** The commit of a ref that was looked up. Both are null if none was, or no commit is known. */
export interface FoundRef {
  ref: string | null
  commit: string | null
}

const refuse = (status: Refused['status'], detail: string) => ({
  change: null,
  result: { ok: false as const, status, detail },
})

const time = (ms: number): string => new Date(ms).toISOString()

/** Decides on a change of a deployment that stays. */
function staying<Value>(decide: Decide<Changed<Value>>): Decide<Changed<Value>> {
  return (held) =>
    held.goneAt === null ? decide(held) : refuse(409, `Deployment ID ${held.answer.id} is being deleted.`)
}

/** Changes a deployment, and gives its new state. */
export function changing(
  body: ChangeBody,
  mode: EnvironmentMode,
  pace: Pace,
  found: FoundRef,
): Decide<Changed<DeploymentAnswer>> {
  return staying((held) => {
    const { answer } = held
    const fixed = fixedMember(body, answer)
    if (fixed !== null) return refuse(400, `${fixed} can't be changed.`)
    const changed = merged(answer, body)
    const known = new Set(findingsOf(answer, mode))
    const findings = findingsOf(changed as CreateRequest, mode).filter((finding) => !known.has(finding))
    if (findings.length > 0) return refuse(400, findings.join(' '))
    const isResized = answer.source === 'external_docker' && Boolean(body.source_config?.resource_spec)
    if (isResized || needsRevision(body)) {
      return withRevision({ ...held, answer: changed }, body, pace, found, (_, after) => after)
    }
    const after = { ...changed, updated_at: time(pace.now) }
    const change = { answer: after, readyAt: nextEnd(held.pending), goneAt: null }
    return { change, result: { ok: true, value: after } }
  })
}

/** Whether a change needs a new revision, whatever its deployment's source. */
export function needsRevision(body: ChangeBody): boolean {
  return (body.secrets ?? []).length > 0 || hasValues(body.source_revision_config ?? {})
}

/** Adds a revision, and gives it. */
export function revising(body: RevisionBody, pace: Pace, found: FoundRef): Decide<Changed<RevisionAnswer>> {
  return staying((held) => {
    const answer = merged(held.answer, body)
    return withRevision({ ...held, answer }, body, pace, found, (made) => made)
  })
}

/** Adds a revision with the config of an earlier one, and gives the deployment. */
export function redeploying(id: string, pace: Pace): Decide<Changed<DeploymentAnswer>> {
  return staying((held) => {
    if (held.revision === null) return refuse(404, `Revision ID ${id} not found.`)
    const config = JSON.parse(held.revision.config) as SourceRevisionConfigAnswer
    const answer = { ...held.answer, source_revision_config: config }
    return withRevision({ ...held, answer }, {}, pace, null, (_, after) => after)
  })
}

/** Ends a revision before it is deployed, and gives it. */
export function interrupting(id: string, { now }: Pace): Decide<Changed<RevisionAnswer>> {
  return ({ answer, goneAt, revision, pending }) => {
    if (revision === null) return refuse(404, `Revision ID ${id} not found.`)
    if (revision.status === 'INTERRUPTED') {
      return { change: null, result: { ok: true, value: revisionAnswer(revision, answer.source) } }
    }
    if (revision.status === 'BUILD_FAILED') {
      return refuse(409, `Revision ID ${id} can't be interrupted: its build has failed.`)
    }
    // Another instance, whose clock is ahead, may have seen it deployed.
    if (revision.status === 'DEPLOYED' || revision.id === answer.active_revision_id) {
      return refuse(409, `Revision ID ${id} can't be interrupted: it is deployed.`)
    }
    const { moved, left } = withoutRevision(revision, pending, now)
    const after = { ...answer, updated_at: time(now) }
    // Its database exists, although nothing runs.
    if (left.length === 0 && after.status === 'AWAITING_DATABASE') after.status = 'READY'
    const readyAt = goneAt === null ? nextEnd(left) : null
    const interrupted: Revision = { ...revision, status: 'INTERRUPTED', updatedAt: after.updated_at }
    const value = revisionAnswer(interrupted, answer.source)
    return { change: { answer: after, readyAt, goneAt, moved }, result: { ok: true, value } }
  }
}

/** How a deployment is deleted. */
export interface Deletion {
  /** Whether its tracing project goes with it, so that its name is free afterwards. */
  delete_tracing_project?: boolean | null | undefined
  /** Whether it is gone at once. Only for one that is being deleted already. */
  force?: boolean | null | undefined
}

/** Starts to delete a deployment, or continues if that was started before. */
export function deleting({ now, durationMs }: Pace, how: Deletion): Decide<Changed<null>> {
  return ({ answer, goneAt }) => {
    const done = { ok: true as const, value: null }
    if (how.force && answer.status !== 'AWAITING_DELETE') {
      return refuse(
        400,
        'force is only for a deployment that is AWAITING_DELETE: delete it without force first.',
      )
    }
    if (goneAt !== null && !how.force && !how.delete_tracing_project) return { change: null, result: done }
    const gone = how.force ? now : now + durationMs
    const change = {
      answer: { ...answer, status: 'AWAITING_DELETE' as const, updated_at: time(now) },
      readyAt: null,
      goneAt: goneAt === null || how.force ? time(gone) : goneAt,
      ...(how.delete_tracing_project ? { freesName: true } : {}),
    }
    return { change, result: done }
  }
}

/** Adds a revision of a deployment, which has the revision's config already. */
function withRevision<Value>(
  { answer, pending, hasArchive }: HeldDeployment,
  body: RevisionBody,
  { now, durationMs }: Pace,
  found: FoundRef | null,
  give: (made: RevisionAnswer, after: DeploymentAnswer) => Value,
): ReturnType<Decide<Changed<Value>>> {
  if (!hasArchive) return refuse(400, noArchive(body.source_revision_config!.source_tarball_path!))
  if (pending.length >= limits.pendingRevisions) {
    return refuse(409, `${pending.length} revisions are queued already. Wait until some are deployed.`)
  }
  const stored = answer.source_revision_config
  // Another request may have changed the ref since it was looked up.
  const commit = stored.repo_ref === found?.ref ? (found?.commit ?? null) : null
  const config = found === null ? stored : { ...stored, repo_commit_sha: commit }
  const startsAt = Math.max(now, pending.at(-1)?.endsAt ?? now)
  const added: NewRevision = {
    id: randomUUID(),
    startsAt,
    endsAt: startsAt + durationMs,
    interruptedAt: null,
    config,
  }
  const after: DeploymentAnswer = {
    ...answer,
    source_revision_config: config,
    latest_revision_id: added.id,
    updated_at: time(now),
  }
  const change = { answer: after, readyAt: nextEnd([...pending, added]), goneAt: null, added }
  const begun = durationMs > 0 ? 'AWAITING_BUILD' : 'DEPLOYED'
  const made = revisionAnswer(
    {
      ...added,
      status: startsAt > now ? 'QUEUED' : begun,
      statusMessage: null,
      createdAt: time(now),
      updatedAt: time(now),
      config: JSON.stringify(config),
    },
    answer.source,
  )
  return { change, result: { ok: true, value: give(made, after) } }
}

/** The answer for a revision of a deployment with this source. */
export function revisionAnswer(revision: Revision, source: DeploymentAnswer['source']): RevisionAnswer {
  return {
    id: revision.id,
    status: revision.status,
    ...(revision.statusMessage === null ? {} : { status_message: revision.statusMessage }),
    source,
    source_revision_config: JSON.parse(revision.config) as SourceRevisionConfigAnswer,
    created_at: revision.createdAt,
    updated_at: revision.updatedAt,
  }
}

/** The times of an interrupted revision, and of the later ones, which no longer wait for it. */
function withoutRevision(
  { id, startsAt, endsAt }: Revision,
  pending: readonly PendingRevision[],
  now: number,
): { moved: RevisionTimes[]; left: RevisionTimes[] } {
  const ended = { id, startsAt: startsAt ?? now, endsAt: endsAt ?? now, interruptedAt: now }
  const left: RevisionTimes[] = []
  for (const other of pending.filter((revision) => revision.id !== id)) {
    const duration = other.endsAt - other.startsAt
    // A revision that has started isn't moved.
    const earliest = Math.max(now, left.at(-1)?.endsAt ?? now)
    const start = other.startsAt <= now ? other.startsAt : Math.min(other.startsAt, earliest)
    left.push({ id: other.id, startsAt: start, endsAt: start + duration, interruptedAt: null })
  }
  return { moved: [ended, ...left], left }
}

/** When the next of some revisions is deployed (ISO 8601); null if none will be. */
function nextEnd(revisions: readonly { endsAt: number }[]): string | null {
  const ends = revisions.map(({ endsAt }) => endsAt)
  return ends.length === 0 ? null : time(Math.min(...ends))
}

/** The deployment with the members of a change that aren't null. Values of secrets aren't stored. */
function merged(answer: DeploymentAnswer, body: ChangeBody): DeploymentAnswer {
  const { source_revision_config: revision, secrets } = body
  const { listener_config: _stays, ...config } = body.source_config ?? {}
  return {
    ...answer,
    source_config: { ...answer.source_config, ...valuesOf(config), ...fixedOf(answer.source_config) },
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

const fixedMembers = [
  'integration_id',
  'repo_url',
  'deployment_type',
  'listener_id',
] as const satisfies (keyof DeploymentAnswer['source_config'])[]

/** The members of a deployment that keep their stored form: the change may have them in upper case. */
function fixedOf(config: DeploymentAnswer['source_config']): Partial<DeploymentAnswer['source_config']> {
  const { listener_config } = config
  return { ...Object.fromEntries(fixedMembers.map((member) => [member, config[member]])), listener_config }
}

/** The first member that a change must not change, but does; null if there is none. */
function fixedMember(body: ChangeBody, answer: DeploymentAnswer): string | null {
  const differs = (wanted: string | null | undefined, stored: string | null | undefined): boolean =>
    wanted !== null && wanted !== undefined && wanted.toLowerCase() !== stored?.toLowerCase()
  const config = body.source_config ?? {}
  if (body.name !== null && body.name !== undefined && body.name !== answer.name) return 'name'
  if (differs(body.source, answer.source)) return 'source'
  if (differs(body.revision_source, answer.source)) return 'revision_source'
  const fixed = fixedMembers.find((member) => differs(config[member], answer.source_config[member]))
  if (fixed !== undefined) return `source_config.${fixed}`
  const namespace = answer.source_config.listener_config?.k8s_namespace
  const isOther = config.listener_config && differs(config.listener_config.k8s_namespace, namespace)
  return isOther ? 'source_config.listener_config.k8s_namespace' : null
}
