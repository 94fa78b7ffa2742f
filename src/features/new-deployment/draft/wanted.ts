import { createRequestSchema } from '@contract'
import type { Path } from '@/ui/format/json-path'

/**
 * What a scalar of a request is read as: a text as it is written, a boolean, the mode of a file, or a number. Null where
 * a value may be of any type.
 */
export type Wanted = 'text' | 'boolean' | 'mode' | 'number' | null

/** The part of a schema that says what a value is. */
export interface Described {
  def: {
    type: string
    innerType?: Described
    element?: Described
    valueType?: Described
    shape?: Record<string, Described>
  }
  safeParse: (value: unknown) => { success: boolean }
}

/** Objects whose members are all texts (Kubernetes API: map of strings). */
const mapsOfTexts = ['labels', 'annotations', 'matchLabels', 'volumeAttributes', 'nodeSelector']

/** Members of free-form objects by name (Kubernetes API: volumes, EnvVarSource, SecurityContext). */
const freeMembers: Readonly<Record<string, Wanted>> = {
  ...of('mode', 'mode defaultMode'),
  ...of(
    'boolean',
    'optional readOnly privileged allowPrivilegeEscalation readOnlyRootFilesystem runAsNonRoot hostProcess',
  ),
  ...of(
    'text',
    'name namespace key path value secretName claimName medium server driver fsType fieldPath apiVersion resource',
    'containerName prefix audience user role level type localhostProfile add drop operator values signerName',
  ),
}

function of(wanted: Wanted, ...names: string[]): Record<string, Wanted> {
  return Object.fromEntries(names.flatMap((list) => list.split(' ')).map((name) => [name, wanted]))
}

/** What the value at a path of a request is read as. */
export function wantedAt(path: Path): Wanted {
  let schema: Described | undefined = createRequestSchema
  for (const [index, part] of path.entries()) {
    const { type, shape, element, valueType }: Described['def'] = bareSchema(schema).def
    if (type === 'record') {
      if (mapsOfTexts.includes(String(path[index - 1]))) return index === path.length - 1 ? 'text' : null
      schema = valueType
    } else schema = typeof part === 'number' ? element : shape?.[part]
    if (!schema) return null
    if (bareSchema(schema).def.type === 'unknown') return ofFree(path.slice(index))
  }
  const { type } = bareSchema(schema).def
  if (type === 'string' || type === 'enum') return 'text'
  return type === 'boolean' || type === 'number' ? type : null
}

function ofFree(path: Path): Wanted {
  if (mapsOfTexts.includes(String(path.at(-2)))) return 'text'
  const name = path.findLast((part) => typeof part === 'string')
  return name !== undefined && Object.hasOwn(freeMembers, name) ? (freeMembers[name] ?? null) : null
}

/** A schema without what makes a value optional or null. */
export function bareSchema(schema: Described): Described {
  const { innerType } = schema.def
  return innerType ? bareSchema(innerType) : schema
}
