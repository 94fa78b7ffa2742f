import type { Source } from '@contract'
import { shownText } from '@contract/core/text'
import { type LabelledMember, memberLabels } from '@domain/labels/member-labels'
import { resourceSpecLabel, specLabel } from '@domain/labels/resource-spec-labels'
import { deploymentTypeOptions } from '@/ui/format/deployment'
import { isWithin, type Path } from '@/ui/format/json-path'
import type { FormNode } from './spec-fields'

/** The sections of the form, in its order. */
export const formSections = {
  deployment: 'Deployment',
  source: 'Source',
  resources: 'Resources',
  secrets: 'Secrets',
} as const

export type FormSectionName = keyof typeof formSections

/** A field of the form. */
export interface FormField {
  label: string
  /** The member of the request that it is about. */
  path: Path
  section: FormSectionName
  /** How the form shows it, from the member. */
  node: FormNode
  /** The sources for which it is usual. With another source, it can be sent on request. */
  usualFor: readonly Source[]
  /** What is missing without it: "an integration ID". */
  missing?: string
  /** Its value belongs to one environment, and means nothing or something else in another. */
  ofOneEnvironment?: true
  /** Its term in the review of a request; without one, the review doesn't list it. */
  fact?: string
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
const repohost: readonly Source[] = ['repohost']
const external: readonly Source[] = ['external_docker']

/** A field of the section "Source", with the label that its member has everywhere. */
const field = (
  path: LabelledMember,
  usualFor: readonly Source[],
  node: Omit<FormNode, 'at'> & { at?: Path },
  more: Partial<FormField> = {},
): FormField => ({
  label: memberLabels[path],
  path: path.split('.'),
  section: 'source',
  usualFor,
  node: { at: [], ...node },
  ...more,
})

/** A list whose items lie in columns with these heads. */
const table = (heads: string[], members: FormNode[]): Omit<FormNode, 'at'> => ({
  kind: 'list',
  wide: true,
  heads,
  item: { kind: 'object', at: [], members },
})
const row = (at: string, placeholder: string): FormNode => ({
  kind: 'text',
  at: [at],
  placeholder,
  monospace: true,
  always: true,
})

const forever = "Can't be changed later."

/**
 * The fields of the form, in its order. The interface doesn't say which members belong to which source: `usualFor` lists
 * the sources with which services have accepted a member.
 */
const described = {
  name: field(
    'name',
    everySource,
    {
      kind: 'text',
      always: true,
      placeholder: 'e.g. support-agent',
      hint: `${forever} Also names the tracing project.`,
    },
    { section: 'deployment' },
  ),
  deployment_type: field(
    'source_config.deployment_type',
    everySource,
    {
      kind: 'choice',
      choices: deploymentTypeOptions,
      placeholder: "The service's default",
      hint: forever,
    },
    { section: 'deployment', fact: 'Type' },
  ),
  source: field('source', everySource, { kind: 'source', wide: true }, { fact: 'Source' }),
  integration_id: field(
    'source_config.integration_id',
    repohost,
    {
      kind: 'choice',
      other: true,
      suggests: 'integrations',
      placeholder: 'Choose or enter an ID',
      hint: 'The code-hosting integration.',
      monospace: true,
      wide: true,
    },
    { missing: 'an integration ID', ofOneEnvironment: true },
  ),
  repo_url: field(
    'source_config.repo_url',
    repohost,
    {
      kind: 'choice',
      other: true,
      suggests: 'repositories',
      placeholder: 'e.g. https://github.com/acme/support-agent',
      wide: true,
    },
    { missing: 'a repository URL', fact: 'Runs' },
  ),
  repo_ref: field(
    'source_revision_config.repo_ref',
    repohost,
    {
      kind: 'choice',
      other: true,
      suggests: 'refs',
      placeholder: 'e.g. main',
      hint: 'A branch, or refs/tags/… for a tag.',
      monospace: true,
    },
    { missing: 'a Git ref', fact: 'Runs' },
  ),
  graph_config_path: field(
    'source_revision_config.graph_config_path',
    built,
    {
      kind: 'text',
      suggests: 'config paths',
      placeholder: 'e.g. agent.json',
      hint: 'Path inside the code.',
      monospace: true,
    },
    { missing: 'a config path', fact: 'Config path' },
  ),
  image_uri: field(
    'source_revision_config.image_uri',
    ['external_docker', 'internal_docker'],
    {
      kind: 'text',
      placeholder: 'e.g. registry.example.com/agents/support:1.4.0',
      monospace: true,
      wide: true,
    },
    { missing: 'an image URI', fact: 'Runs' },
  ),
  source_tarball_path: field(
    'source_revision_config.source_tarball_path',
    ['internal_source'],
    { kind: 'text', placeholder: 'e.g. uploads/support-agent.tar.gz', monospace: true, wide: true },
    { fact: 'Runs' },
  ),
  listener_id: field(
    'source_config.listener_id',
    external,
    { kind: 'text', suggests: 'listeners', hint: forever, monospace: true, wide: true },
    { missing: 'a listener ID', ofOneEnvironment: true, fact: 'Listener' },
  ),
  listener_config: field(
    'source_config.listener_config',
    external,
    {
      kind: 'text',
      at: ['k8s_namespace'],
      suggests: 'namespaces',
      placeholder: 'e.g. agents',
      hint: forever,
      monospace: true,
    },
    {
      label: 'Kubernetes namespace',
      missing: 'a Kubernetes namespace',
      ofOneEnvironment: true,
      fact: 'Namespace',
    },
  ),
  custom_url: field(
    'source_config.custom_url',
    external,
    { kind: 'text', placeholder: 'e.g. https://support.example.com' },
    { ofOneEnvironment: true, fact: 'Custom URL' },
  ),
  install_command: field(
    'source_config.install_command',
    built,
    { kind: 'text', placeholder: 'e.g. npm ci', monospace: true },
    { fact: 'Install command' },
  ),
  build_command: field(
    'source_config.build_command',
    built,
    { kind: 'text', placeholder: 'e.g. npm run build', monospace: true },
    { fact: 'Build command' },
  ),
  build_on_push: field(
    'source_config.build_on_push',
    repohost,
    { kind: 'switch', hint: 'Builds a new revision on every push to the ref.' },
    { fact: 'Build on push' },
  ),
  resource_spec: {
    label: resourceSpecLabel,
    path: ['source_config', 'resource_spec'],
    section: 'resources',
    usualFor: everySource,
    missing: 'a resource spec',
    node: { kind: 'spec', at: [], wide: true },
  },
  secrets: field(
    'secrets',
    everySource,
    {
      ...table(['Name', 'Value'], [row('name', 'API_KEY'), { kind: 'secret', at: ['value'] }]),
      columns: 'minmax(0, 2fr) minmax(0, 3fr) var(--size-control)',
      start: { name: '', value: '' },
      always: true,
    },
    { label: 'Secrets', section: 'secrets' },
  ),
  secret_references: field(
    'secret_references',
    external,
    {
      ...table(
        ['Variable', 'Secret in the cluster', 'Key in it'],
        [row('name', 'DATABASE_URL'), row('secret_name', 'agent-database'), row('secret_key', 'url')],
      ),
      columns: 'repeat(3, minmax(0, 1fr))',
      start: { name: '', secret_name: '', secret_key: '' },
    },
    { label: 'Secret references', section: 'secrets', ofOneEnvironment: true },
  ),
} satisfies Record<string, FormField>

/** The fields in the order of the form. */
export const formFields: readonly FormField[] = Object.values(described)

/** A member of the request that depends on its source. Every request has a name, a source and secrets. */
export type FieldName = Exclude<keyof typeof described, 'name' | 'source' | 'secrets'>

export const fields: Readonly<Record<FieldName, FormField>> = described

export const fieldNames = Object.keys(described).filter(
  (name): name is FieldName => !['name', 'source', 'secrets'].includes(name),
)

/** The field at a path of a request, or around it; null for name, source and secrets. */
export function fieldAt(path: Path): FieldName | null {
  return fieldNames.find((name) => isWithin(path, fields[name].path)) ?? null
}

/** The position in the form of the member at a path, or around it: a number to sort by. */
export function placeInForm(path: Path): number {
  return formFields.findIndex((member) => isWithin(path, member.path))
}

const listLabels: Record<string, string> = { secrets: 'Secret', secret_references: 'Secret reference' }

/**
 * The form's label of the member at a path, such as "Git ref", "Secret 2, name" or "API memory limit". Member names
 * from a service or a file are made safe to display.
 */
export const labelOf = (path: Path): string => shownText(rawLabelOf(path))

function rawLabelOf(path: Path): string {
  const [first, second, ...rest] = path
  if (path.length === 0) return 'The request'
  const item = listLabels[String(first)]
  if (item && typeof second === 'number')
    return [`${item} ${second + 1}`, ...rest.map((part) => String(part).replace('_', ' '))].join(', ')
  const field = formFields.find((one) => isWithin(path, one.path))
  if (!field) return path.join('.')
  const inner = path.slice(field.path.length)
  return field === fields.resource_spec && inner.length > 0 ? specLabel(inner) : field.label
}

/** A path in the operators' notation: `volumes[0].name`. */
export function dotted(path: Path): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
}
