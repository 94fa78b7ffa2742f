import { type Deployment, type Failure, failure, type FieldIssue } from '@contract'
import type { Change, ChangeKind } from '@contract/life/changes'
import type { Offers } from '@contract/life/offers'
import { isRevisionUnderWay, operationOf } from '@contract/life/rules'
import type { Revision } from '@contract/life/revisions'
import { type FieldName, fields } from '@/features/new-deployment/draft/fields'
import { copyJson, type Path, valueAt } from '@/ui/format/json-path'

/** The members of a deployment that an operator edits, in the form of a request. */
export interface ChangeDraft {
  source_config: Record<string, unknown>
  source_revision_config: Record<string, unknown>
  /** Those that it has come without a value, which leaves their value as it is. */
  secrets: { name: string; value: string }[]
}

/** A deployment as a draft of its own change. */
export function draftOf({ source_config, source_revision_config, secrets }: Deployment): ChangeDraft {
  return copyJson({
    source_config,
    source_revision_config,
    secrets: secrets.flatMap(({ name }) => (name === null ? [] : [{ name, value: '' }])),
  })
}

/** The fields of the kinds of change that have single fields, as far as a deployment's source uses them. */
export function editedFields(kind: ChangeKind, { source }: Deployment): FieldName[] {
  const names: FieldName[] =
    kind === 'revision'
      ? ['image_uri', 'repo_ref', 'graph_config_path']
      : kind === 'settings'
        ? ['build_on_push', 'custom_url', 'install_command', 'build_command']
        : []
  return names.filter((name) => fields[name].usualFor.some((one) => one === source))
}

/** The change that a draft makes of a deployment, with only what differs; null if nothing does. */
export function changeOf(
  kind: ChangeKind,
  draft: ChangeDraft,
  deployment: Deployment,
  more: { revisionId: string | null; tracingProject: boolean; force: boolean },
): Change | null {
  const { revisionId } = more
  const changed = (): Record<string, unknown> =>
    Object.fromEntries(
      editedFields(kind, deployment).flatMap((name) => {
        const { path } = fields[name]
        const now = valueAt(draft, path) ?? null
        return now === (valueAt(deployment, path) ?? null) ? [] : [[String(path.at(-1)), now]]
      }),
    )
  switch (kind) {
    case 'revision':
    case 'settings': {
      const config = changed()
      return Object.values(config).some((value) => value !== null) ? { kind, config } : null
    }
    case 'secrets': {
      const before = new Set(deployment.secrets.map(({ name }) => name))
      const now = new Set(draft.secrets.map(({ name }) => name))
      const set = draft.secrets.filter(({ name, value }) => value !== '' || !before.has(name))
      const removed = [...before].filter((name): name is string => name !== null && !now.has(name))
      return set.length + removed.length > 0 ? { kind, set, removed } : null
    }
    case 'resources':
      return { kind, spec: draft.source_config['resource_spec'] ?? {} }
    case 'delete':
      return { kind, tracingProject: more.tracingProject, force: more.force }
    default:
      return revisionId === null ? null : { kind, revisionId }
  }
}

/** Where an issue of a change belongs in its draft. */
export function placeOf({ path }: FieldIssue, draft: ChangeDraft): Path {
  if (path[0] === 'secrets')
    return ['secrets', draft.secrets.findIndex(({ name }) => name === path[1]), 'value']
  if (path[0] !== 'change') return path
  if (path[1] === 'spec') return ['source_config', 'resource_spec', ...path.slice(2)]
  const field = Object.values(fields).find((one) => one.path.at(-1) === path[2])
  return field ? field.path : path
}

/** A kind of change, and the revision that it is about. */
export interface ChangeChoice {
  kind: ChangeKind
  revisionId: string | null
  /** Why it can't be made after all; null if it can. */
  hint: string | null
}

const menuKinds = [
  'revision',
  'secrets',
  'resources',
  'settings',
  'redeploy',
  'roll-back',
  'interrupt',
  'delete',
] as const

/** Whether a deployment can be rolled back to a revision: to the running one, too, where a later one failed. */
export const isRollBack = (deployment: Deployment, { id, status }: Revision): boolean =>
  status === 'DEPLOYED' && id !== deployment.latest_revision_id

/**
 * The changes that a service offers for a deployment, in the order of the menu. Only what can be done is in it: a
 * resource spec is replaced for external images alone, and an archive needs an upload.
 */
export function offeredChanges(
  deployment: Deployment,
  { operations, missing }: Pick<Offers, 'operations' | 'missing'>,
  revisions: readonly Revision[],
): ChangeChoice[] {
  const { active_revision_id: active, latest_revision_id: latest, status } = deployment
  const underWay = revisions.find((one) => isRevisionUnderWay(one.status))?.id ?? null
  const revisionOf: Partial<Record<ChangeKind, string | null>> = {
    redeploy: active ?? latest,
    interrupt: underWay,
  }
  const applies: Partial<Record<ChangeKind, boolean>> = {
    revision: editedFields('revision', deployment).length > 0,
    settings: editedFields('settings', deployment).length > 0,
    resources: deployment.source === 'external_docker',
    redeploy: revisionOf.redeploy !== null,
    interrupt: underWay !== null,
    'roll-back': operations.includes('revisions'),
  }
  return menuKinds
    .filter((kind) => (status === 'AWAITING_DELETE' ? kind === 'delete' : (applies[kind] ?? true)))
    .flatMap((kind) => {
      const isOffered = operations.includes(operationOf(kind, operations))
      const why = missing.find(({ operation }) => operation === operationOf(kind, [operation]))?.reason
      if (!isOffered && why === undefined) return []
      return [{ kind, revisionId: revisionOf[kind] ?? null, hint: isOffered ? null : (why ?? null) }]
    })
}

/** Why what another deployment runs can't be brought to this one; null if it can. */
export function whyNotPromoted(
  deployment: Deployment,
  offers: Pick<Offers, 'operations' | 'missing'>,
): Failure | null {
  const choice = offeredChanges(deployment, offers, []).find(({ kind }) => kind === 'revision')
  if (choice?.hint === null) return null
  const advice = choice?.hint ?? whyNoRevision(deployment)
  return failure('not-allowed', 'What the other one runs is not brought here.', { advice })
}

/** Why a deployment gets no new revision, if its service doesn't say so. */
function whyNoRevision(deployment: Deployment): string {
  if (deployment.status === 'AWAITING_DELETE') return 'It is being deleted.'
  return editedFields('revision', deployment).length === 0
    ? 'A revision of its source needs an upload.'
    : "Its service doesn't offer new revisions, as far as is known: see the end of its overview."
}
