import { volumeKinds, workloadGroups } from '@contract/deployment-api/request/create-request'

/** The label of the resource spec itself. */
export const resourceSpecLabel = 'Resource spec'

/** Where a member is, outermost first; numbers are places in lists. */
type Path = readonly (string | number)[]

/** The unit of a workload's number. */
export type Unit = 'cores' | 'MB' | 'Gi' | null

/** A number of a workload: its member in the resource spec, its label after the workload's name, and its unit. */
interface WorkloadNumber {
  member: string
  label: string
  unit: Unit
}

/** A workload and its numbers (interface: ResourceSpec, the workload groups). */
export interface Workload {
  name: string
  numbers: WorkloadNumber[]
  /** Whether the service's descriptions say that it exists but isn't meant for use. */
  unusual: boolean
}

/** The endings of the members' names, in all groups. */
const endings: [ending: string, label: string, unit: Unit][] = [
  ['min_scale', 'min scale', null],
  ['max_scale', 'max scale', null],
  ['memory_limit_mb', 'memory limit', 'MB'],
  ['memory_mb', 'memory', 'MB'],
  ['cpu_limit', 'CPU limit', 'cores'],
  ['cpu', 'CPU', 'cores'],
  ['storage_gi', 'storage', 'Gi'],
  ['max_connections', 'max connections', null],
]

type Group = keyof typeof workloadGroups

/** The name of each workload group, in the order of comparisons. */
export const workloadNames: Readonly<Record<Group, string>> = {
  api: 'API',
  queue: 'Queue',
  redis: 'Redis',
  database: 'Database',
  orchestrator: 'Orchestrator',
  executor: 'Executor',
}

function workload(group: Group, unusual = false): Workload {
  const numbers = workloadGroups[group].map((member): WorkloadNumber => {
    const [, label = member, unit = null] = endings.find(([ending]) => member.endsWith(ending)) ?? []
    return { member, label, unit }
  })
  return { name: workloadNames[group], numbers, unusual }
}

/** The workloads in the order of the form. Unusual ones come last. */
export const workloads: readonly Workload[] = [
  workload('api'),
  workload('queue'),
  workload('redis'),
  workload('database'),
  workload('orchestrator', true),
  workload('executor', true),
]

/** The label of each number of a workload, by its member: "API memory limit". */
export const numberLabels: ReadonlyMap<string, string> = new Map(
  workloads.flatMap(({ name, numbers }) =>
    numbers.map(({ member, label }) => [member, `${name} ${label}`] as const),
  ),
)

/** The label of one item of each list, before its number. */
const items = new Map([
  ['image_pull_secrets', 'pull secret'],
  ['volumes', 'volume'],
  ['volume_mounts', 'volume mount'],
  ['init_containers', 'init container'],
  ['sidecars', 'sidecar'],
  ['command', 'command part'],
  ['args', 'argument'],
  ['env', 'variable'],
  ['volumeMounts', 'volume mount'],
])

/**
 * The label of every member but the workloads' numbers. Kinds of volume keep the names that Kubernetes has for them.
 */
const members = new Map([
  ['labels', 'labels'],
  ['annotations', 'annotations'],
  ['service_account_name', 'service account'],
  ['image_pull_secrets', 'pull secrets'],
  ['volumes', 'volumes'],
  ['volume_mounts', 'volume mounts'],
  ['init_containers', 'init containers'],
  ['sidecars', 'sidecars'],
  ['name', 'name'],
  ['image', 'image'],
  ['imagePullPolicy', 'image pull policy'],
  ['workingDir', 'working directory'],
  ['restartPolicy', 'restart policy'],
  ['command', 'command'],
  ['args', 'arguments'],
  ['env', 'variables'],
  ['value', 'value'],
  ['envFrom', 'environment sources'],
  ['valueFrom', 'value source'],
  ['resources', 'resources'],
  ['limits', 'limits'],
  ['requests', 'requests'],
  ['volumeMounts', 'volume mounts'],
  ['securityContext', 'security context'],
  ['mountPath', 'mount path'],
  ['subPath', 'sub path'],
  ['subPathExpr', 'sub path expression'],
  ['mountPropagation', 'mount propagation'],
  ['readOnly', 'read only'],
])

/** The label of one item of a list: "Sidecar". */
export const itemLabel = (list: string): string => sentenceCase(items.get(list) ?? memberLabel(list))

/** Members whose content the interface doesn't describe: people and Kubernetes choose the names inside. */
const free: ReadonlySet<string> = new Set([
  ...['labels', 'annotations', 'limits', 'requests', 'valueFrom', 'envFrom', 'securityContext'],
  ...volumeKinds,
])

/** Members that have another caption in their place, by the list and the member. */
const captions = new Map([
  ['volume_mounts name', 'volume'],
  ['volumeMounts name', 'volume'],
])

/** The label of a member of the resource spec: "API memory limit", "Sidecar 2 variable 1 name". */
export function specLabel(path: Path): string {
  const number = path.length === 1 ? numberLabels.get(String(path[0])) : undefined
  if (number !== undefined) return number
  const labels = path.flatMap((part, index) => {
    if (typeof part === 'number') return []
    const next = path[index + 1]
    if (typeof next === 'number') return [`${items.get(part) ?? memberLabel(part)} ${next + 1}`]
    // "Sidecar 1 limits" is shorter than "Sidecar 1 resources limits" and as clear.
    return part === 'resources' && next !== undefined ? [] : [memberLabel(part)]
  })
  return sentenceCase(labels.join(' '))
}

/**
 * The label of a member where what it belongs to is seen: "Mount path". A member that the interface doesn't name keeps
 * its name.
 */
export function specCaption(path: Path): string {
  const names = path.filter((part) => typeof part === 'string')
  const last = names.at(-1) ?? ''
  const caption = captions.get(names.slice(-2).join(' ')) ?? members.get(last)
  return caption === undefined ? last : sentenceCase(caption)
}

/** The label of a member, and how that one labels its own members; without it, by their names. */
export type MemberLabels = (member: string) => { label: string; members: MemberLabels | undefined }

/** The captions of what is at a path of the resource spec. Names that are free stay as they are. */
export const specMembers =
  (path: Path): MemberLabels =>
  (member) => ({
    label: specCaption([...path, member]),
    members: free.has(member) ? undefined : specMembers([...path, member]),
  })

const memberLabel = (member: string): string => members.get(member) ?? member.replaceAll('_', ' ')

const sentenceCase = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
