import { volumeKinds, workloadGroups } from '@contract/deployment-api/request/create-request'
import { type Field, isBlank, otherMembers } from '../fields'
import { type MemberLabels, specMembers, workloadNames } from '@domain/labels/resource-spec-labels'
import type { Path } from '@/ui/format/json-path'

/** An item of a list of the resource spec: a volume, a mount, a container. */
interface SpecItem {
  title: string
  fields: Field[]
}

/** Members of containers and mounts, in the order in which they are shown, and whether they are code. */
const members: readonly [name: string, mono: boolean][] = [
  ['image', true],
  ['command', true],
  ['args', true],
  ['workingDir', true],
  ['env', false],
  ['envFrom', false],
  ['resources', false],
  ['volumeMounts', false],
  ['imagePullPolicy', false],
  ['restartPolicy', false],
  ['securityContext', false],
  ['mountPath', true],
  ['subPath', true],
  ['subPathExpr', true],
  ['readOnly', false],
  ['mountPropagation', false],
]

const known = [...members.map(([name]) => name), ...volumeKinds]

/**
 * The items of a list in the resource spec, by name, with the form's labels. Members that the interface doesn't define
 * follow, under the service's names. An item that isn't an object is shown unchanged.
 *
 * @param path where the list is in the resource spec
 */
export function specItems(list: unknown, path: Path): SpecItem[] {
  const labels = specMembers(path)
  const items: unknown[] = Array.isArray(list) ? list : [list]
  return items.map((item, index) => {
    const number = String(index + 1)
    if (typeof item !== 'object' || item === null || Array.isArray(item)) {
      return { title: number, fields: [{ label: 'Value', value: item }] }
    }
    const whole = item as Record<string, unknown>
    const { name, ...others } = whole
    return typeof name === 'string' && name !== ''
      ? { title: name, fields: fieldsOf(others, labels) }
      : { title: number, fields: fieldsOf(whole, labels) }
  })
}

function fieldsOf(item: Record<string, unknown>, labels: MemberLabels): Field[] {
  const field = (name: string, mono = false): Field => ({ ...labels(name), value: item[name], mono })
  return [
    ...members.filter(([name]) => !isBlank(item[name])).map(([name, mono]) => field(name, mono)),
    // An empty object still shows the kind.
    ...volumeKinds
      .filter((kind) => item[kind] !== null && item[kind] !== undefined)
      .map((kind) => field(kind)),
    ...otherMembers(item, known).map(([name]) => field(name)),
  ]
}

/** A workload's scaling and sizes as text; null for what the spec does not set. */
export interface Workload {
  name: string
  replicas: string | null
  /** In cores. */
  cpu: string | null
  /** In MB. */
  memory: string | null
  /** Storage and connections, which only the database has. */
  more: string | null
}

type Group = keyof typeof workloadGroups

const prefixes: Record<Group, string> = {
  api: '',
  queue: 'queue_',
  orchestrator: 'orchestrator_',
  executor: 'executor_',
  redis: 'redis_',
  database: 'db_',
}

const format = new Intl.NumberFormat('en')

/** The workload groups that a resource spec (interface: ResourceSpec) mentions, each with its requests and limits. */
export function workloads(spec: Record<string, unknown>): Workload[] {
  return (Object.keys(workloadGroups) as Group[])
    .filter((group) => workloadGroups[group].some((field) => show(spec[field]) !== null))
    .map((group) => {
      const value = (field: string): string | null => show(spec[prefixes[group] + field])
      return {
        name: workloadNames[group],
        replicas: range(value('min_scale'), value('max_scale')),
        cpu: limited(value('cpu'), value('cpu_limit')),
        memory: limited(value('memory_mb'), value('memory_limit_mb')),
        more: join(unit(value('storage_gi'), 'Gi storage'), unit(value('max_connections'), 'connections')),
      }
    })
}

/** The fields of all workload groups, which `workloads` shows. */
export const workloadFields: readonly string[] = Object.values(workloadGroups).flat()

/** A number or a text, unchanged. Anything else is shown only in the raw JSON. */
function show(value: unknown): string | null {
  if (typeof value === 'number') return format.format(value)
  return typeof value === 'string' && value !== '' ? value : null
}

function range(min: string | null, max: string | null): string | null {
  if (min !== null && max !== null) return min === max ? min : `${min} to ${max}`
  if (min !== null) return `at least ${min}`
  return max === null ? null : `up to ${max}`
}

function limited(request: string | null, limit: string | null): string | null {
  if (limit === null) return request
  return request === null ? `limit ${limit}` : `${request}, limit ${limit}`
}

function unit(value: string | null, of: string): string | null {
  return value === null ? null : `${value} ${of}`
}

function join(...parts: (string | null)[]): string | null {
  return parts.filter((part) => part !== null).join(', ') || null
}
