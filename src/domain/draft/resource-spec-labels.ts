import { workloadGroups } from '@contract/deployment-api/request/resource-spec'
import type { Path } from '../text/json-path'

/** The unit of a workload's number. */
export type Unit = 'cores' | 'MB' | 'Gi' | null

/** A number of a workload: its member in the resource spec, its label after the workload's name, and its unit. */
export interface WorkloadNumber {
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

function workload(name: string, group: keyof typeof workloadGroups, unusual = false): Workload {
  const numbers = workloadGroups[group].map((member): WorkloadNumber => {
    const [, label = member, unit = null] = endings.find(([ending]) => member.endsWith(ending)) ?? []
    return { member, label, unit }
  })
  return { name, numbers, unusual }
}

/** The workloads in the order of the form. Unusual ones come last. */
export const workloads: readonly Workload[] = [
  workload('API', 'api'),
  workload('Queue', 'queue'),
  workload('Redis', 'redis'),
  workload('Database', 'database'),
  workload('Orchestrator', 'orchestrator', true),
  workload('Executor', 'executor', true),
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

/** Labels of members whose names aren't plain words. */
const members = new Map([
  ['service_account_name', 'service account'],
  ['image_pull_secrets', 'pull secrets'],
  ['imagePullPolicy', 'image pull policy'],
  ['workingDir', 'working directory'],
  ['restartPolicy', 'restart policy'],
  ['args', 'arguments'],
  ['env', 'variables'],
  ['envFrom', 'environment sources'],
  ['valueFrom', 'value source'],
  ['volumeMounts', 'volume mounts'],
  ['securityContext', 'security context'],
  ['mountPath', 'mount path'],
  ['subPath', 'sub path'],
  ['subPathExpr', 'sub path expression'],
  ['mountPropagation', 'mount propagation'],
  ['readOnly', 'read only'],
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
  const text = labels.join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const memberLabel = (member: string): string => members.get(member) ?? member.replaceAll('_', ' ')
