import type { DeploymentStatus, DeploymentSummary } from '@contract'
import { isRollingOut, type RolloutMembers } from '@contract/deployment-api/statuses'
import type { FailedRevision, Revision } from '@contract/life/revisions'
import { shortRevision } from '@domain/labels/revisions'
import { type DeploymentType, deploymentTypes, isKnownSource, sourceLabels } from '@contract/core/labels'
import type { ChangeKind } from '@contract/life/changes'
import type { LifeOperation, Offers } from '@contract/life/offers'

/** How a status looks: its label, the colour of its dot and the dot's shape, so that colour is never the only sign. */
export interface StatusLook {
  label: string
  tone: 'success' | 'warning' | 'danger' | 'neutral'
  shape: 'full' | 'half' | 'ring'
}

const look = (label: string, tone: StatusLook['tone'], shape: StatusLook['shape']): StatusLook => ({
  label,
  tone,
  shape,
})

/** The looks of a deployment's statuses, and of a revision's where a service has those. */
const looks: Record<DeploymentStatus, StatusLook> & Record<string, StatusLook> = {
  READY: look('Ready', 'success', 'full'),
  AWAITING_DATABASE: look('Awaiting database', 'warning', 'half'),
  UNUSED: look('Unused', 'neutral', 'ring'),
  AWAITING_DELETE: look('Awaiting delete', 'danger', 'half'),
  UNKNOWN: look('Unknown', 'neutral', 'half'),
  CREATING: look('Creating', 'warning', 'half'),
  QUEUED: look('Queued', 'warning', 'ring'),
  AWAITING_BUILD: look('Awaiting build', 'warning', 'ring'),
  BUILDING: look('Building', 'warning', 'half'),
  AWAITING_DEPLOY: look('Awaiting deploy', 'warning', 'half'),
  DEPLOYING: look('Deploying', 'warning', 'half'),
  DEPLOYED: look('Deployed', 'success', 'full'),
  CREATE_FAILED: look('Creation failed', 'danger', 'full'),
  BUILD_FAILED: look('Build failed', 'danger', 'full'),
  DEPLOY_FAILED: look('Deploy failed', 'danger', 'full'),
  SKIPPED: look('Skipped', 'neutral', 'ring'),
  INTERRUPTED: look('Interrupted', 'neutral', 'ring'),
}

/** The look of a status. One that the interface doesn't name is shown as it came; a blank one as "No status". */
export function statusLook(status: string): StatusLook {
  return Object.hasOwn(looks, status)
    ? looks[status]!
    : look(status.trim() === '' ? 'No status' : status, 'neutral', 'half')
}

/** The latest revision, shortened, and what is to be said of its roll-out. */
export interface RevisionLabel {
  short: string | null
  rollout: 'failed' | 'rolling out' | null
  full: string
}

/** @param failed the latest revision, if it is known to have failed: then nothing is rolling out */
export function revisionLabel(
  deployment: RolloutMembers,
  failed: FailedRevision | null = null,
): RevisionLabel {
  const { latest_revision_id: latest, active_revision_id: active } = deployment
  const rollout = failed ? 'failed' : isRollingOut(deployment) ? 'rolling out' : null
  if (latest === null) {
    const full = active === null ? 'There is no revision yet.' : `Active revision ${active}`
    return { short: active === null ? null : shortRevision(active), rollout, full }
  }
  return {
    short: shortRevision(latest),
    rollout,
    full:
      latest === active
        ? `Revision ${latest}, latest and active`
        : `Latest revision ${latest}, active ${active ?? 'none yet'}${failed?.message ? `: ${failed.message}` : ''}`,
  }
}

/** What a deployment runs, shortened and in full. */
export interface RunningSource {
  /** The short name of the repository, image or archive. */
  name: string
  /** Branch, tag or commit of a repository. */
  ref: string | null
  full: string
}

/** The fields that say what a deployment runs. */
type RunningFields = Pick<DeploymentSummary, 'repo_url' | 'repo_ref' | 'image_uri' | 'source_tarball_path'>

/** What a deployment runs: repository and ref, image, or source archive; null where it doesn't say. */
export function runningSource(deployment: RunningFields): RunningSource | null {
  const { repo_url, repo_ref, image_uri, source_tarball_path } = deployment
  if (repo_url) {
    const ref = repo_ref?.replace(/^refs\/(?:heads|tags)\//, '') ?? null
    return { name: shortRepository(repo_url), ref, full: repo_ref ? `${repo_url} at ${repo_ref}` : repo_url }
  }
  if (image_uri) return { name: lastPart(image_uri), ref: null, full: image_uri }
  if (source_tarball_path) {
    return { name: lastPart(source_tarball_path, 2), ref: null, full: source_tarball_path }
  }
  return null
}

/** The last part of a repository's URL, without ".git". */
function shortRepository(url: string): string {
  const path = url
    .replace(/^[a-z+]+:\/\/[^/]*\//i, '')
    .replace(/^[^/@]*@[^:]*:/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
  return lastPart(path)
}

/** The last parts of a path. */
function lastPart(path: string, count = 1): string {
  return path.split('/').filter(Boolean).slice(-count).join('/') || path
}

/** What a revision runs, in one line: its image, or its ref and commit. */
export function runsOf({ source_revision_config: config }: Pick<Revision, 'source_revision_config'>): string {
  const { image_uri, repo_ref, repo_commit_sha, source_tarball_path } = config
  const code = [repo_ref, repo_commit_sha?.slice(0, 12)].filter(Boolean).join(' ')
  return image_uri ?? (code || source_tarball_path || 'not said')
}

/** The label of a source; an unknown one is shown as the service names it. */
export const sourceLabel = (source: string): string => (isKnownSource(source) ? sourceLabels[source] : source)

const labels: Record<DeploymentType, string> = {
  dev_free: 'Development (free)',
  dev: 'Development',
  prod: 'Production',
}

/** The label of a deployment type. One that the interface doesn't name is shown as it came. */
export function deploymentTypeLabel(type: string): string {
  return Object.hasOwn(labels, type) ? labels[type as DeploymentType] : type
}

/** The deployment types to choose from. */
export const deploymentTypeOptions = deploymentTypes.map((value) => ({ value, label: labels[value] }))

/** What a kind of change is called, and what is said of it afterwards. */
const words: Record<ChangeKind, { title: string; done: string }> = {
  revision: { title: 'New revision', done: 'Made a revision of' },
  secrets: { title: 'Variables and secrets', done: 'Changed the secrets of' },
  resources: { title: 'Resources', done: 'Changed the resources of' },
  settings: { title: 'Settings', done: 'Changed the settings of' },
  redeploy: { title: 'Redeploy', done: 'Redeployed' },
  'roll-back': { title: 'Roll back', done: 'Rolled back' },
  interrupt: { title: 'Interrupt', done: 'Interrupted' },
  delete: { title: 'Delete', done: 'Deleted' },
}

/** The name of a kind of change: "New revision". */
export const changeTitle = (kind: ChangeKind): string => words[kind].title

/** What was done, before the deployment's name: "Rolled back". */
export const changeDone = (kind: ChangeKind): string => words[kind].done

/** An operation as a word or two. */
export const operationName = (operation: LifeOperation): string =>
  operation === 'delete-many' ? 'delete several' : operation.replace('-', ' ')

/** What a service offers, and how that is known, in sentences. */
export function offersText({ operations, from, byHand, missing }: Offers): string {
  const names = (some: readonly LifeOperation[]): string => some.map(operationName).join(', ')
  const known = from === 'document' ? 'as its own document says' : 'as far as requests that only read show'
  return [
    `This service offers: list, create${operations.length > 0 ? ', ' : ''}${names(operations)} (${known}).`,
    byHand.length > 0 ? `Switched on by you: ${names(byHand)}.` : '',
    ...missing.map(({ operation, reason }) => `Not ${operationName(operation)}, in spite of that: ${reason}`),
  ]
    .filter(Boolean)
    .join(' ')
}
