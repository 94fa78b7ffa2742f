import { volumeKinds } from '@contract'
import type { JsonObject, Path } from '@/ui/format/json-path'

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
  /** Of a choice: any other text can be typed. */
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
