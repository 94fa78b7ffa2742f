import type { z } from '@hono/zod-openapi'
import { checkRequest, type CreateRequest, type EnvironmentMode } from '@contract'
import { limits } from '../../base/limits'
import type { changeBodySchema, revisionBodySchema } from '../../api/life-schemas'
import type { DeploymentAnswer, SourceRevisionConfigAnswer } from '../../api/schemas'
import type { Decide, HeldDeployment, Revision } from '../../database/store'
import { detailOf } from '../creation'
import { type RevisionAnswer, revisionAnswer } from './revision-answer'
import { type FoundRef, withCommit } from './revision-source'
import { asMade, nextEnd, scheduleRevision, withoutRevision } from './schedule'

/** Why a deployment isn't changed: the status and text of the answer. */
interface Refused {
  status: 400 | 404 | 409
  detail: string
}

/** The result of a change: the value for the answer, or why it isn't made. */
export type Changed<Value> = { ok: true; value: Value } | { ok: false; refused: Refused }

/** When a change is made, and how long a revision takes, in milliseconds. */
export interface Pace {
  now: number
  durationMs: number
}

const refuse = (status: Refused['status'], detail: string) => ({
  change: null,
  result: { ok: false as const, refused: { status, detail } },
})

/** Why a deployment can't be changed or get a revision at the moment; null if it can. */
function whyNot({ answer, goneAt }: HeldDeployment): Refused | null {
  if (goneAt === null) return null
  return { status: 409, detail: `Deployment ID ${answer.id} is being deleted.` }
}

/** Changes a deployment, and gives its new state. */
export function changing(
  body: z.infer<typeof changeBodySchema>,
  mode: EnvironmentMode,
  pace: Pace,
  found: FoundRef,
): Decide<Changed<DeploymentAnswer>> {
  return (held) => {
    const refused = whyNot(held)
    if (refused !== null) return refuse(refused.status, refused.detail)
    const { answer } = held
    const fixed = fixedMember(body, answer)
    if (fixed !== null) return refuse(400, `${fixed} can't be changed.`)
    const changed = merged(answer, body)
    const known = new Set(findingsOf(answer, mode))
    const findings = findingsOf(changed, mode).filter((finding) => !known.has(finding))
    if (findings.length > 0) return refuse(400, findings.join(' '))
    if (needsRevision(body)) {
      const config = withCommit(changed.source_revision_config, found)
      return withRevision({ ...held, answer: changed }, config, pace, (_, after) => after)
    }
    const after = { ...changed, updated_at: new Date(pace.now).toISOString() }
    const change = { answer: after, readyAt: nextEnd(held.pending), goneAt: null }
    return { change, result: { ok: true, value: after } }
  }
}

/** Whether a change needs a new revision. */
export function needsRevision(body: z.infer<typeof changeBodySchema>): boolean {
  return (body.secrets ?? []).length > 0 || hasValues(body.source_revision_config ?? {})
}

/** Adds a revision, and gives it. */
export function revising(
  body: z.infer<typeof revisionBodySchema>,
  pace: Pace,
  found: FoundRef,
): Decide<Changed<RevisionAnswer>> {
  return (held) => {
    const refused = whyNot(held)
    if (refused !== null) return refuse(refused.status, refused.detail)
    const { source_revision_config } = merged(held.answer, body)
    return withRevision(held, withCommit(source_revision_config, found), pace, (made) => made)
  }
}

/** Adds a revision with the config of an earlier one, and gives it. */
export function redeploying(id: string, pace: Pace): Decide<Changed<RevisionAnswer>> {
  return (held) => {
    const refused = whyNot(held)
    if (refused !== null) return refuse(refused.status, refused.detail)
    if (held.revision === null) return refuse(404, `Revision ID ${id} not found.`)
    const config = JSON.parse(held.revision.config) as DeploymentAnswer['source_revision_config']
    return withRevision(held, config, pace, (made) => made)
  }
}

/** Ends a revision before it is deployed, and gives it. */
export function interrupting(id: string, { now }: Pace): Decide<Changed<RevisionAnswer>> {
  return ({ answer, goneAt, revision, pending }) => {
    if (revision === null) return refuse(404, `Revision ID ${id} not found.`)
    if (revision.status === 'INTERRUPTED') {
      return { change: null, result: { ok: true, value: revisionAnswer(revision, answer.source) } }
    }
    // Another instance, whose clock is ahead, may have seen it deployed.
    if (revision.status === 'DEPLOYED' || revision.id === answer.active_revision_id) {
      return refuse(409, `Revision ID ${id} can't be interrupted: it is deployed.`)
    }
    const { moved, left } = withoutRevision(revision, pending, now)
    const after = { ...answer, updated_at: new Date(now).toISOString() }
    // Its database exists, although nothing runs.
    if (left.length === 0 && after.status === 'AWAITING_DATABASE') after.status = 'READY'
    const readyAt = goneAt === null ? nextEnd(left) : null
    const interrupted: Revision = { ...revision, status: 'INTERRUPTED', updatedAt: after.updated_at }
    const value = revisionAnswer(interrupted, answer.source)
    return { change: { answer: after, readyAt, goneAt, moved }, result: { ok: true, value } }
  }
}

/** Starts to delete a deployment, or continues if that was started before. */
export function deleting({ now, durationMs }: Pace): Decide<true> {
  return ({ answer, goneAt }) => {
    if (goneAt !== null) return { change: null, result: true }
    const time = (ms: number): string => new Date(ms).toISOString()
    const after: DeploymentAnswer = { ...answer, status: 'AWAITING_DELETE', updated_at: time(now) }
    return { change: { answer: after, readyAt: null, goneAt: time(now + durationMs) }, result: true }
  }
}

function withRevision<Value>(
  { answer, pending }: HeldDeployment,
  config: SourceRevisionConfigAnswer,
  { now, durationMs }: Pace,
  give: (made: RevisionAnswer, after: DeploymentAnswer) => Value,
): ReturnType<Decide<Changed<Value>>> {
  if (pending.length >= limits.pendingRevisions) {
    return refuse(409, `${pending.length} revisions are queued already. Wait until some are deployed.`)
  }
  const added = scheduleRevision(config, pending, now, durationMs)
  const after: DeploymentAnswer = {
    ...answer,
    source_revision_config: config,
    latest_revision_id: added.id,
    updated_at: new Date(now).toISOString(),
  }
  const change = { answer: after, readyAt: nextEnd([...pending, added]), goneAt: null, added }
  const made = revisionAnswer(asMade(added, now), answer.source)
  return { change, result: { ok: true, value: give(made, after) } }
}

/** The deployment with the members of a change that aren't null. Values of secrets aren't stored. */
function merged(answer: DeploymentAnswer, body: z.infer<typeof changeBodySchema>): DeploymentAnswer {
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
function fixedMember(body: z.infer<typeof changeBodySchema>, answer: DeploymentAnswer): string | null {
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

/** What is wrong with a deployment with these members, in the interface's terms. */
function findingsOf(answer: DeploymentAnswer, mode: EnvironmentMode): string[] {
  return checkRequest(answer as CreateRequest, mode)
    .filter(({ level }) => level !== 'usual')
    .map(detailOf)
}
