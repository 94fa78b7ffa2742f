import type { Source } from '@contract'
import { type LabelledMember, memberLabels } from '@domain/labels/member-labels'
import { resourceSpecLabel, specLabel } from '@domain/labels/resource-spec-labels'
import { isWithin, type Path, samePath } from '../text/json-path'
import { shownText } from '@contract/core/text'

/** The members of a request that depend on its source. Every request has a name, a source and secrets. */
export const fieldNames = [
  'integration_id',
  'repo_url',
  'repo_ref',
  'graph_config_path',
  'build_on_push',
  'image_uri',
  'source_tarball_path',
  'listener_id',
  'listener_config',
  'custom_url',
  'install_command',
  'build_command',
  'deployment_type',
  'resource_spec',
  'secret_references',
] as const

export type FieldName = (typeof fieldNames)[number]

/** A member of the request: its label in the form, its path in the request, and the sources for which it is usual. */
export interface FormField {
  label: string
  path: Path
  usualFor: readonly Source[]
}

const everySource: readonly Source[] = [
  'repohost',
  'external_docker',
  'internal_docker',
  'internal_source',
  'internal_template',
]

/** Sources whose code the service builds. */
const built: readonly Source[] = ['repohost', 'internal_source', 'internal_template']

const field = (path: LabelledMember, usualFor: readonly Source[]): FormField => ({
  label: memberLabels[path],
  path: path.split('.'),
  usualFor,
})

/**
 * The fields of the form. The interface doesn't say which members belong to which source. `usualFor` lists the sources
 * with which services have accepted a member. With another source, it can be sent on request.
 */
export const fields: Record<FieldName, FormField> = {
  integration_id: field('source_config.integration_id', ['repohost']),
  repo_url: field('source_config.repo_url', ['repohost']),
  repo_ref: field('source_revision_config.repo_ref', ['repohost']),
  graph_config_path: field('source_revision_config.graph_config_path', built),
  build_on_push: field('source_config.build_on_push', ['repohost']),
  image_uri: field('source_revision_config.image_uri', ['external_docker', 'internal_docker']),
  source_tarball_path: field('source_revision_config.source_tarball_path', ['internal_source']),
  listener_id: field('source_config.listener_id', ['external_docker']),
  listener_config: {
    label: 'Kubernetes namespace',
    path: ['source_config', 'listener_config'],
    usualFor: ['external_docker'],
  },
  custom_url: field('source_config.custom_url', ['external_docker']),
  install_command: field('source_config.install_command', built),
  build_command: field('source_config.build_command', built),
  deployment_type: field('source_config.deployment_type', everySource),
  resource_spec: {
    label: resourceSpecLabel,
    path: ['source_config', 'resource_spec'],
    usualFor: everySource,
  },
  secret_references: {
    label: 'Secret references',
    path: ['secret_references'],
    usualFor: ['external_docker'],
  },
}

/** The field at a path of a request, or around it; null for name, source and secrets. */
export function fieldAt(path: Path): FieldName | null {
  return fieldNames.find((name) => isWithin(path, fields[name].path)) ?? null
}

const ofOtherSections: readonly FieldName[] = ['deployment_type', 'resource_spec', 'secret_references']

export type FormSectionName = 'deployment' | 'source' | 'resources' | 'secrets'

/** The sections of the form, and the members of a request that each has, in their order. */
export const formSections: Readonly<Record<FormSectionName, { title: string; paths: readonly Path[] }>> = {
  deployment: { title: 'Deployment', paths: [['name'], fields.deployment_type.path] },
  source: {
    title: 'Source',
    paths: [
      ['source'],
      ...fieldNames.filter((name) => !ofOtherSections.includes(name)).map((name) => fields[name].path),
    ],
  },
  resources: { title: 'Resources', paths: [fields.resource_spec.path] },
  secrets: { title: 'Secrets', paths: [['secrets'], fields.secret_references.path] },
}

/** The members of a request in the order of the form. */
const formOrder = Object.values(formSections).flatMap(({ paths }) => paths)

/** The position in the form of the member at a path, or around it: a number to sort by. */
export function placeInForm(path: Path): number {
  return formOrder.findIndex((member) => isWithin(path, member))
}

const listLabels: Record<string, [singular: string, plural: string]> = {
  secrets: ['Secret', 'Secrets'],
  secret_references: ['Secret reference', 'Secret references'],
}

/**
 * The form's label of the member at a path, such as "Git ref", "Secret 2, name" or "API memory limit". Member names
 * from a service or a file are made safe to display.
 */
export const labelOf = (path: Path): string => shownText(rawLabelOf(path))

function rawLabelOf(path: Path): string {
  const [first, second, ...rest] = path
  if (path.length === 0) return 'The request'
  if (samePath(path, ['name'])) return 'Name'
  if (samePath(path, ['source'])) return 'Source'
  const list = listLabels[String(first)]
  if (list) {
    if (typeof second !== 'number') return list[1]
    return [`${list[0]} ${second + 1}`, ...rest.map((part) => String(part).replace('_', ' '))].join(', ')
  }
  const name = fieldAt(path)
  if (!name) return path.join('.')
  const inner = path.slice(fields[name].path.length)
  return name === 'resource_spec' && inner.length > 0 ? specLabel(inner) : fields[name].label
}

/** A path in the operators' notation: `volumes[0].name`. */
export function dotted(path: Path): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
}
