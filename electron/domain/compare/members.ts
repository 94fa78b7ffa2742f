import { workloadGroups } from '@contract/deployment-api/request/create-request'
import { isLabelled, type LabelledMember, memberLabels } from '../labels/member-labels'
import { numberLabels, workloadNames } from '../labels/resource-spec-labels'

/** What fields are grouped by, in the order they are shown. */
export const groupLabels = {
  identity: 'Identity',
  source: 'Source',
  revision: 'Revision',
  ...workloadNames,
  pods: 'Pods',
  volumes: 'Volumes',
  containers: 'Containers',
  secrets: 'Secrets',
  bookkeeping: 'Bookkeeping',
  other: 'Other',
} as const

export type Group = keyof typeof groupLabels

export const groups = Object.keys(groupLabels) as Group[]

/**
 * Why a field is hidden unless everything is shown: an identifier, time or tenant differs between any two deployments,
 * or an identifier means something in one environment only.
 */
type Noise = 'always' | 'between-environments'

/** A member that the interface names. */
interface Member {
  group: Group
  label: string
  noise?: Noise
  /** Whether only answers have it: no request sets it. */
  answersOnly?: true
  /** Whether services were seen to accept it in a request and never to answer it, or to answer null. */
  seldomReported?: true
}

/** The members of deployments and requests, by their paths (interface: Deployment), except for the resource spec's. */
const members: Readonly<Record<LabelledMember, Omit<Member, 'label'>>> = {
  name: { group: 'identity' },
  source: { group: 'source' },
  'source_config.deployment_type': { group: 'source', seldomReported: true },
  'source_config.integration_id': {
    group: 'source',
    noise: 'between-environments',
  },
  'source_config.repo_url': { group: 'source' },
  'source_config.build_on_push': { group: 'source' },
  'source_config.custom_url': { group: 'source' },
  'source_config.install_command': { group: 'source', seldomReported: true },
  'source_config.build_command': { group: 'source', seldomReported: true },
  'source_config.listener_id': {
    group: 'source',
    noise: 'between-environments',
    seldomReported: true,
  },
  'source_config.listener_config': { group: 'source', seldomReported: true },
  'source_revision_config.repo_ref': { group: 'revision' },
  'source_revision_config.repo_commit_sha': { group: 'revision', answersOnly: true },
  'source_revision_config.graph_config_path': { group: 'revision' },
  'source_revision_config.image_uri': { group: 'revision' },
  'source_revision_config.source_tarball_path': { group: 'revision' },
  image_version: { group: 'revision', answersOnly: true },
  secrets: { group: 'secrets' },
  secret_references: { group: 'secrets', seldomReported: true },
  status: { group: 'bookkeeping', answersOnly: true },
  id: { group: 'bookkeeping', noise: 'always', answersOnly: true },
  tenant_id: { group: 'bookkeeping', noise: 'always', answersOnly: true },
  created_at: { group: 'bookkeeping', noise: 'always', answersOnly: true },
  updated_at: { group: 'bookkeeping', noise: 'always', answersOnly: true },
  latest_revision_id: { group: 'bookkeeping', noise: 'always', answersOnly: true },
  active_revision_id: { group: 'bookkeeping', noise: 'always', answersOnly: true },
}

const resourceSpec = 'source_config.resource_spec'

/** The groups of the resource spec's members (interface: ResourceSpec). */
const specGroups: ReadonlyMap<string, Group> = new Map<string, Group>([
  ...Object.entries(workloadGroups).flatMap(([group, numbers]) =>
    numbers.map((member): [string, Group] => [member, group as keyof typeof workloadGroups]),
  ),
  ['labels', 'pods'],
  ['annotations', 'pods'],
  ['service_account_name', 'pods'],
  ['image_pull_secrets', 'pods'],
  ['volumes', 'volumes'],
  ['volume_mounts', 'volumes'],
  ['init_containers', 'containers'],
  ['sidecars', 'containers'],
])

const order = new Map([...Object.keys(members), ...specGroups.keys()].map((path, index) => [path, index]))

/** A member, its path, and its place in the order of the groups and, within one, of the table. */
export interface PlacedMember extends Member {
  path: string
  place: number
}

/** The member at a path of a document; one that the interface doesn't name belongs to "Other", by its path. */
export function memberAt(path: string): PlacedMember {
  return placed(
    path,
    path,
    isLabelled(path) ? { ...members[path], label: memberLabels[path] } : unknownMember(path),
  )
}

const unknownMember = (path: string): Member => ({ group: 'other', label: path })

/** The member of a resource spec. Of all of them, the resource spec is what a service reports or doesn't. */
export function specMemberAt(name: string, label: string): PlacedMember {
  const group = specGroups.get(name) ?? 'other'
  return placed(resourceSpec, name, { group, label: numberLabel(name, group) ?? label })
}

/** "Memory limit" under the heading of its workload. */
function numberLabel(name: string, group: Group): string | null {
  const label = numberLabels.get(name)?.slice(groupLabels[group].length + 1)
  return label === undefined ? null : label.charAt(0).toUpperCase() + label.slice(1)
}

const placed = (path: string, name: string, member: Member): PlacedMember => ({
  ...member,
  path,
  place: groups.indexOf(member.group) * 1_000 + (order.get(name) ?? 999),
})
