import { volumeKinds } from '@contract/deployment-api/request/create-request'
import { type Field, isBlank, otherMembers } from '@/components/deployment/field'
import { type MemberLabels, specMembers } from '@domain/labels/resource-spec-labels'
import type { Path } from '@/domain/text/json-path'

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
