import { type Source, volumeKinds } from '@contract'
import { shownText } from '@contract/core/text'
import { type LabelledMember, memberLabels } from '@domain/labels/member-labels'
import { resourceSpecLabel, specLabel } from '@domain/labels/resource-spec-labels'
import { deploymentTypeOptions } from '@/ui/format/deployment'
import { isWithin, type Path, type JsonObject } from '@/ui/format/json-path'

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

/** A field of the section "Source", a text unless it says otherwise, with the label that its member has everywhere. */
const field = (
  path: LabelledMember,
  usualFor: readonly Source[],
  node: Partial<FormNode>,
  more: Partial<FormField> = {},
): FormField => ({
  label: memberLabels[path],
  path: path.split('.'),
  section: 'source',
  usualFor,
  node: { kind: 'text', at: [], ...node },
  ...more,
})

/** A list whose items lie in columns with these heads. */
const table = (heads: string[], members: FormNode[]): Partial<FormNode> => ({
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
      placeholder: 'e.g. registry.example.com/agents/support:1.4.0',
      monospace: true,
      wide: true,
    },
    { missing: 'an image URI', fact: 'Runs' },
  ),
  source_tarball_path: field(
    'source_revision_config.source_tarball_path',
    ['internal_source'],
    { placeholder: 'e.g. uploads/support-agent.tar.gz', monospace: true, wide: true },
    { fact: 'Runs' },
  ),
  listener_id: field(
    'source_config.listener_id',
    external,
    { suggests: 'listeners', hint: forever, monospace: true, wide: true },
    { missing: 'a listener ID', ofOneEnvironment: true, fact: 'Listener' },
  ),
  listener_config: field(
    'source_config.listener_config',
    external,
    {
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
    { placeholder: 'e.g. https://support.example.com' },
    { ofOneEnvironment: true, fact: 'Custom URL' },
  ),
  install_command: field(
    'source_config.install_command',
    built,
    { placeholder: 'e.g. npm ci', monospace: true },
    { fact: 'Install command' },
  ),
  build_command: field(
    'source_config.build_command',
    built,
    { placeholder: 'e.g. npm run build', monospace: true },
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

export type FieldName = keyof typeof described

export const fields: Readonly<Record<FieldName, FormField>> = described

export const fieldNames = Object.keys(described) as FieldName[]

/** The position in the form of the member at a path, or around it: a number to sort by. */
export function placeInForm(path: Path): number {
  return formFields.findIndex((member) => isWithin(path, member.path))
}

/** The field at a path of a request, or around it. */
export const fieldAt = (path: Path): FormField | undefined => formFields[placeInForm(path)]

const listLabels: Record<string, string> = { secrets: 'Secret', secret_references: 'Secret reference' }

/**
 * The form's label of the member at a path, such as "Git ref", "Secret 2, name" or "API memory limit". Member names
 * from a service or a file are made safe to display.
 */
export const labelOf = (path: Path): string => shownText(rawLabelOf(path))

/** The accessible name of the field at a path: its label without the comma, "Secret 2 name". */
export const fieldLabel = (path: Path): string => labelOf(path).replaceAll(',', '')

function rawLabelOf(path: Path): string {
  const [first, second, ...rest] = path
  if (path.length === 0) return 'The request'
  const item = listLabels[String(first)]
  if (item && typeof second === 'number')
    return [`${item} ${second + 1}`, ...rest.map((part) => String(part).replace('_', ' '))].join(', ')
  const field = fieldAt(path)
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

/** What a field suggests: values of other deployments, of the service's lists, or of the draft itself. */
export type Suggestions =
  | 'integrations'
  | 'repositories'
  | 'refs'
  | 'config paths'
  | 'listeners'
  | 'namespaces'
  | 'volumes'

/**
 * How the form shows a member of the request. The kinds:
 * - `text`, `choice`, `switch`: a single value;
 * - `free`: a free-form object or list, as JSON or YAML;
 * - `pairs`: an object with free keys, a row for each;
 * - `list`, `cards`: a list of `item`, as rows or as cards that open;
 * - `object`: its `members`, in columns;
 * - `kind`: which one of several free-form members an object has;
 * - `part`: `members` under a heading that opens;
 * - `spec`, `numbers`, `source`, `secret`: what has a component of its own.
 */
export interface FormNode {
  kind:
    | ('text' | 'choice' | 'switch' | 'free' | 'pairs' | 'list' | 'cards' | 'object' | 'kind' | 'part')
    | ('spec' | 'numbers' | 'source' | 'secret')
  /** Where its value is in the object around it; empty for that object itself, and for an item of a list. */
  at: Path
  placeholder?: string | ((around: JsonObject) => string)
  /** Of a value beside a free key, whose own is `placeholder`. */
  valuePlaceholder?: string
  hint?: string
  monospace?: boolean
  /** Spans all columns. */
  wide?: boolean
  /** Of a text: may have several lines. */
  lines?: boolean
  /** When cleared, it stays as empty text, or as an empty list. */
  always?: boolean
  suggests?: Suggestions
  choices?: readonly (string | { label: string; value: string })[]
  /** Of a choice: any other text can be typed, as where it suggests values. */
  other?: boolean
  /** Of a choice: it is a boolean. */
  boolean?: boolean
  /** Of a free-form member: it is a list. */
  list?: boolean
  /** Of a free-form member that is rarely used: a button at first. `icon` has no text, and the member can be removed. */
  onDemand?: 'text' | 'icon'
  item?: FormNode
  /** What a new item has. */
  start?: JsonObject
  heads?: string[]
  members?: readonly FormNode[]
  /** The columns of an object, as CSS grid tracks; none where it lies in the columns of its row. */
  columns?: string
  /** The members of an object have captions, and it is divided from the next one. */
  captions?: boolean
  /** Shown at first only where it is filled in. */
  rare?: boolean
  /** The button that shows the rare members. */
  more?: string
  /** Of a part: its heading, where it isn't the caption of its only member. */
  title?: string
  /** What a closed part counts, or a row of pairs is called. */
  noun?: string
}

const text = (at: string, placeholder = '', more: Partial<FormNode> = {}): FormNode => ({
  kind: 'text',
  at: [at],
  placeholder,
  monospace: true,
  ...more,
})
const choice = (at: string, choices: string[], more: Partial<FormNode> = {}): FormNode => ({
  kind: 'choice',
  at: [at],
  placeholder: 'Not sent',
  choices,
  other: true,
  ...more,
})
const list = (at: string, item: FormNode, more: Partial<FormNode> = {}): FormNode => ({
  kind: 'list',
  at: [at],
  item,
  ...more,
})
const free = (at: string, hint: string, more: Partial<FormNode> = {}): FormNode => ({
  kind: 'free',
  at: [at],
  hint,
  wide: true,
  onDemand: 'text',
  ...more,
})
const pairs = (at: Path, noun: string, placeholder: string, valuePlaceholder = ''): FormNode => ({
  kind: 'pairs',
  at,
  noun,
  placeholder,
  valuePlaceholder,
})
const object = (columns: string, members: FormNode[], more: Partial<FormNode> = {}): FormNode => ({
  kind: 'object',
  at: [],
  columns,
  members,
  ...more,
})
const part = (member: FormNode): FormNode => ({ kind: 'part', at: [], members: [member] })

const line: FormNode = { kind: 'text', at: [], monospace: true, lines: true, always: true }

const variable = object('minmax(0, 2fr) minmax(0, 3fr) var(--size-control)', [
  text('name', 'NAME'),
  text('value', '', { placeholder: ({ valueFrom }) => (valueFrom === undefined ? 'value' : 'from below') }),
  free('valueFrom', 'For example { "secretKeyRef": { "name": "agent-tokens", "key": "prompts" } }', {
    onDemand: 'icon',
  }),
])

/** Kubernetes: VolumeMount. */
const mount = object(
  'minmax(0, 2fr) minmax(0, 3fr) minmax(0, 2fr)',
  [
    choice('name', [], { suggests: 'volumes', placeholder: 'Choose or type', monospace: true }),
    text('mountPath', '/etc/agent'),
    choice('readOnly', ['true', 'false'], { boolean: true, other: false }),
    text('subPath', '', { rare: true }),
    text('subPathExpr', '', { rare: true }),
    choice('mountPropagation', ['None', 'HostToContainer', 'Bidirectional'], { rare: true }),
  ],
  { captions: true, more: 'Sub path, propagation' },
)

const volume = object(
  'minmax(0, 1fr) minmax(0, 1fr)',
  [text('name', 'settings'), { kind: 'kind', at: [], choices: volumeKinds }],
  { captions: true },
)

/** Typical settings of the kinds of volume (Kubernetes: Volume). */
export const volumeExamples: Record<(typeof volumeKinds)[number], string> = {
  configMap: '{ "name": "agent-settings" }',
  secret: '{ "secretName": "agent-tls" }',
  emptyDir: '{ "sizeLimit": "2Gi" }',
  persistentVolumeClaim: '{ "claimName": "shared-models" }',
  nfs: '{ "server": "nfs.example.com", "path": "/models" }',
  projected: '{ "sources": [{ "secret": { "name": "agent-tls" } }] }',
  downwardAPI: '{ "items": [{ "path": "labels", "fieldRef": { "fieldPath": "metadata.labels" } }] }',
  csi: '{ "driver": "secrets-store.csi.k8s.io", "readOnly": true }',
}

/** Kubernetes: Container. */
const container = object(
  'minmax(0, 1fr) minmax(0, 1fr)',
  [
    text('name', 'telemetry'),
    text('image', 'registry.example.com/telemetry:1.0'),
    choice('imagePullPolicy', ['Always', 'IfNotPresent', 'Never']),
    choice('restartPolicy', ['Always', 'OnFailure', 'Never']),
    text('workingDir', '/app', { wide: true }),
    list('command', line),
    list('args', line),
    list('env', variable, { wide: true }),
    free(
      'envFrom',
      'A list, for example [{ "configMapRef": { "name": "telemetry" } }]. JSON or YAML. Leave empty to omit it.',
      { list: true },
    ),
    pairs(['resources', 'requests'], 'request', 'memory', '64Mi'),
    pairs(['resources', 'limits'], 'limit', 'memory', '256Mi'),
    list('volumeMounts', mount, { wide: true }),
    free('securityContext', 'For example { "runAsNonRoot": true }. JSON or YAML. Leave empty to omit it.'),
  ],
  { captions: true },
)

/** The fields of a resource spec (interface: ResourceSpec). A member that no field has is shown as unknown. */
export const specFields: readonly FormNode[] = [
  {
    kind: 'part',
    at: [],
    title: 'Workloads',
    members: [{ kind: 'numbers', at: [], noun: 'number' }],
  },
  {
    kind: 'part',
    at: [],
    title: 'Metadata',
    members: [
      pairs(['labels'], 'label', 'team'),
      pairs(['annotations'], 'annotation', 'example.com/owner'),
      text('service_account_name', 'agent-runner', { noun: 'service account' }),
      list('image_pull_secrets', object('minmax(0, 1fr)', [text('name', 'registry-credentials')]), {
        noun: 'pull secret',
      }),
    ],
  },
  part(list('volumes', volume, { noun: 'volume' })),
  part(list('volume_mounts', mount, { noun: 'mount' })),
  part({ kind: 'cards', at: ['init_containers'], item: container, noun: 'container' }),
  part({ kind: 'cards', at: ['sidecars'], item: container, noun: 'container' }),
]
