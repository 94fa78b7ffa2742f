import { workloadGroups } from '@contract/deployment-api/request/create-request'
import { type Field, type Group, isBlank, otherMembers } from '../fields'
import { specMembers, workloadNames } from '@domain/labels/resource-spec-labels'
import type { Path } from '@/ui/format/json-path'

/** The members of containers and mounts that come first, and those of them that are code. */
const first = ['image', 'command', 'args', 'workingDir', 'env', 'envFrom', 'resources', 'volumeMounts']
const code = new Set(['image', 'command', 'args', 'workingDir', 'mountPath', 'subPath', 'subPathExpr'])

/**
 * The items of a list in the resource spec, by name, with the form's labels, or the service's own names for members that
 * the interface doesn't define. An item that isn't an object is shown unchanged.
 *
 * @param path where the list is in the resource spec
 */
export function specItems(list: unknown, path: Path): { title: string; fields: Field[] }[] {
  const labels = specMembers(path)
  const items: unknown[] = Array.isArray(list) ? list : [list]
  return items.map((item, index) => {
    const number = String(index + 1)
    if (typeof item !== 'object' || item === null || Array.isArray(item)) {
      return { title: number, fields: [{ label: 'Value', value: item }] }
    }
    const { name, ...others } = item as Record<string, unknown>
    const isTitle = typeof name === 'string' && name !== ''
    const values: Record<string, unknown> = isTitle ? others : { ...others, name }
    const names = [...new Set([...first.filter((one) => one in values), ...Object.keys(values)])]
    const fields = names
      // An empty object still shows the kind of a volume.
      .filter((one) => !isBlank(values[one]) || isObject(values[one]))
      .map((one) => ({ ...labels(one), value: values[one], mono: code.has(one) }))
    return { title: isTitle ? name : number, fields }
  })
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const values = ['service_account_name', 'image_pull_secrets', 'labels', 'annotations']
const lists = ['volumes', 'volume_mounts', 'init_containers', 'sidecars']

/** A resource spec in parts: the workloads in a table, then everything else as in the form. */
export function specGroups(spec: Record<string, unknown>): Group[] {
  const labels = specMembers([])
  const isSet = (name: string): boolean => !isBlank(spec[name])
  const others = otherMembers(spec, [...Object.values(workloadGroups).flat(), ...values, ...lists])
  const rows = workloadRows(spec)
  return [
    ...(rows.length > 0
      ? [{ title: 'Workloads', table: { label: 'Workloads', heads: workloadHeads, rows } }]
      : []),
    ...values.filter(isSet).map((name) => {
      const { label, members } = labels(name)
      return { title: label, value: spec[name], members }
    }),
    ...lists
      .filter(isSet)
      .map((name) => ({ title: labels(name).label, items: specItems(spec[name], [name]) })),
    ...(others.length > 0
      ? [{ title: 'Other fields of the resource spec', value: Object.fromEntries(others) }]
      : []),
  ]
}

type WorkloadGroup = keyof typeof workloadGroups

const prefixes: Record<WorkloadGroup, string> = {
  api: '',
  queue: 'queue_',
  orchestrator: 'orchestrator_',
  executor: 'executor_',
  redis: 'redis_',
  database: 'db_',
}

const format = new Intl.NumberFormat('en')

const workloadHeads = ['Workload', 'Replicas', 'CPU (cores)', 'Memory (MB)', 'More']

/** The workloads that a resource spec (interface: ResourceSpec) mentions, each with its requests and limits. */
function workloadRows(spec: Record<string, unknown>): (string | null)[][] {
  return (Object.keys(workloadGroups) as WorkloadGroup[])
    .filter((group) => workloadGroups[group].some((field) => show(spec[field]) !== null))
    .map((group) => {
      const value = (field: string): string | null => show(spec[prefixes[group] + field])
      const limit = (field: string) => value(field) && `limit ${value(field)}`
      const count = (field: string, unit: string) => value(field) && `${value(field)} ${unit}`
      return [
        workloadNames[group],
        range(value('min_scale'), value('max_scale')),
        joined(value('cpu'), limit('cpu_limit')),
        joined(value('memory_mb'), limit('memory_limit_mb')),
        // Only the database has these.
        joined(count('storage_gi', 'Gi storage'), count('max_connections', 'connections')),
      ]
    })
}

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

const joined = (...parts: (string | null)[]): string | null => parts.filter(Boolean).join(', ') || null
