import { createHash } from 'node:crypto'
import {
  checkBuildOnPush,
  type Deployment,
  deploymentsPath,
  fail,
  failure,
  type FieldIssue,
  type Outcome,
  requestSchemas,
  type Secret,
  secretLimits,
  succeed,
  withoutSecretValues,
} from '@contract'
import type { Change, ChangeReview } from '@contract/life/changes'
import { type HeldDeployment, withHiddenValues } from '../../processes/answers/life'
import type { LifeOperation, Offers } from '@contract/life/offers'
import { operationOf } from '@contract/life/rules'
import type { Revision } from '@contract/life/revisions'
import type { HttpRequest } from '../../http/client'
import { revisionsPath } from './offers'

/** What a change would do, and the request that does it. */
export interface Plan {
  review: ChangeReview
  /** The operation of the service that makes the change. */
  operation: LifeOperation
  request: Pick<HttpRequest, 'method' | 'path' | 'query' | 'body' | 'secrets'>
}

/**
 * Plans a change of a deployment as the service has it.
 *
 * @param revision the revision that the change names; null if it names none
 * @returns `invalid-input` if the service hides values that must be sent, or a rule of its interface forbids the change
 */
export function plan(
  change: Change,
  held: HeldDeployment,
  revision: Revision | null,
  offers: Offers,
): Outcome<Plan> {
  const { deployment } = held.detail
  const operation = operationOf(change.kind, offers.operations)
  const path = `${deploymentsPath}/${encodeURIComponent(deployment.id)}`
  const review = {
    seen: stateOf(held, change.kind === 'interrupt' ? revision : null),
    before: deployment,
    after: null,
    secrets: null,
  }
  const planned = (
    request: Omit<Plan['request'], 'path'> & { path?: string },
    more: Partial<ChangeReview> = {},
  ): Outcome<Plan> => succeed({ review: { ...review, ...more }, operation, request: { path, ...request } })

  /** What is wrong with building on push afterwards, unless that is wrong already. */
  const unpushable = (after: Deployment) =>
    checkBuildOnPush(deployment).length > 0 ? undefined : checkBuildOnPush(after)[0]

  switch (change.kind) {
    case 'revision': {
      const { value, missing } = withHiddenValues(withValues(change.config), null)
      if (missing.length > 0) return fail(hiddenFailure(['source_revision_config'], missing))
      const body = { source_revision_config: value }
      const after = withRevisionConfig(deployment, change.config)
      const refused = unpushable(after)
      if (refused) return fail(invalid(refused.message, []))
      return planned(
        operation === 'new-revision'
          ? { method: 'POST', path: revisionsPath(deployment.id), body }
          : { method: 'PATCH', body },
        { after },
      )
    }
    case 'secrets':
      return planSecrets(change, held, planned)
    case 'resources': {
      if (held.detail.shortened)
        return fail(invalid('Its resource spec is too large to be changed here.', []))
      const { value: spec, missing } = withHiddenValues(change.spec, held.spec)
      if (missing.length > 0) return fail(hiddenFailure(['source_config', 'resource_spec'], missing))
      const source_config = { ...deployment.source_config, resource_spec: withoutSecretValues(change.spec) }
      return planned(
        {
          method: 'PATCH',
          body: { source_config: { resource_spec: spec } },
          secrets: secretsIn(spec, withoutSecretValues(spec)),
        },
        { after: { ...deployment, source_config } },
      )
    }
    case 'settings': {
      const changed = withValues(change.config)
      const { missing } = withHiddenValues(changed, null)
      if (missing.length > 0) return fail(hiddenFailure(['source_config'], missing))
      const after = {
        ...deployment,
        source_config: { ...deployment.source_config, ...withoutSecretValues(changed) },
      }
      const refused = unpushable(after)
      return refused
        ? fail(invalid(refused.message, []))
        : planned({ method: 'PATCH', body: { source_config: changed } }, { after })
    }
    case 'redeploy':
    case 'roll-back':
      return planned(
        { method: 'POST', path: `${revisionPath(deployment.id, change.revisionId)}/redeploy`, body: {} },
        { after: revision && { ...deployment, source_revision_config: revision.source_revision_config } },
      )
    case 'interrupt': {
      const call = offers.interruptCall ?? 'interrupt'
      return planned({
        method: 'POST',
        path: `${revisionPath(deployment.id, change.revisionId)}/${call}`,
        body: {},
      })
    }
    case 'delete': {
      if (change.force && deployment.status !== 'AWAITING_DELETE') {
        return fail(invalid('Only a deployment that is being deleted already can be deleted at once.', []))
      }
      const flags = [
        ...(change.tracingProject ? [['delete_tracing_project', 'true']] : []),
        ...(change.force ? [['force', 'true']] : []),
      ]
      return planned({ method: 'DELETE', query: new URLSearchParams(flags) })
    }
  }
}

type Planned = (request: Omit<Plan['request'], 'path'>, more: Partial<ChangeReview>) => Outcome<Plan>

/** The service replaces all secrets at once, so those that stay are sent, too. */
function planSecrets(
  { set, removed }: Extract<Change, { kind: 'secrets' }>,
  { detail: { deployment }, secrets: held }: HeldDeployment,
  planned: Planned,
): Outcome<Plan> {
  const names = new Set(set.map(({ name }) => name))
  if (names.size < set.length) return fail(invalid('Two secrets have the same name.', []))
  const kept = held.filter(({ name }) => !names.has(name) && !removed.includes(name))
  const hidden = kept.filter(({ value }) => value === null)
  if (hidden.length > 0) {
    const paths = hidden.map(({ name }) => [name])
    return fail(hiddenFailure(['secrets'], paths))
  }
  const all = [...(kept as Secret[]), ...set]
  if (all.length === 0) {
    return fail(invalid('One secret has to stay: the service takes an empty list for none that changes.', []))
  }
  const checked = requestSchemas.createRequest.shape.secrets.safeParse(all)
  if (!checked.success) {
    return fail(
      invalid(`The service takes ${secretLimits.count} secrets of 131,072 characters each at most.`, []),
    )
  }
  const changed = set.filter(({ name }) => held.some((one) => one.name === name)).length
  const after = { ...deployment, secrets: all.map(({ name }) => ({ name, value: '' })) }
  return planned(
    { method: 'PATCH', body: { secrets: all }, secrets: all.map(({ value }) => value) },
    {
      after,
      secrets: {
        kept: kept.length,
        changed,
        added: set.length - changed,
        removed: held.length - kept.length - changed,
      },
    },
  )
}

/** What a change starts from, as a short text: something else means that the deployment was changed meanwhile. */
function stateOf({ detail: { deployment } }: HeldDeployment, revision: Revision | null): string {
  const { name, status, latest_revision_id, source_config, source_revision_config, secrets } = deployment
  const state = [name, status === 'AWAITING_DELETE', latest_revision_id, source_config]
  return createHash('sha256')
    .update(JSON.stringify([...state, source_revision_config, secrets, revision?.status]))
    .digest('base64url')
}

const revisionPath = (deploymentId: string, revisionId: string): string =>
  `${revisionsPath(deploymentId)}/${encodeURIComponent(revisionId)}`

/** The members that aren't null: the others stay as they are. */
const withValues = (members: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined))

/** A deployment with other members of its revision. Another ref has a commit that isn't known. */
function withRevisionConfig(deployment: Deployment, config: object): Deployment {
  const { source_revision_config: before } = deployment
  const after = { ...before, ...withValues(config) }
  const repo_commit_sha = after.repo_ref === before.repo_ref ? before.repo_commit_sha : null
  return { ...deployment, source_revision_config: { ...after, repo_commit_sha } }
}

/** The texts in a value that aren't in it once its secrets are removed. */
function secretsIn(value: unknown, harmless: unknown): string[] {
  if (typeof value === 'string') return value === harmless ? [] : [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    secretsIn(member, (harmless as Record<string, unknown> | null | undefined)?.[name]),
  )
}

const invalid = (message: string, issues: FieldIssue[]) => failure('invalid-input', message, { issues })

const hiddenFailure = (within: string[], paths: FieldIssue['path'][]) =>
  failure('invalid-input', 'The service hides values that would have to be sent with this change.', {
    advice: 'Enter them again. Otherwise they would be lost.',
    issues: paths.map((path) => ({ path: [...within, ...path], message: 'Enter its value.' })),
  })
