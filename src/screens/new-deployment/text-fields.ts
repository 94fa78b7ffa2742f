import { type FieldName, fields } from '@/domain/draft/fields'
import type { Path } from '@/domain/text/json-path'

/** How the form shows a text field of the request. */
export interface TextFieldLook {
  name: FieldName
  /** Where the text is, if it is inside the field's member. */
  path?: Path
  placeholder?: string
  hint?: string
  monospace?: boolean
  /** Spans both columns. */
  wide?: boolean
}

/** The text fields of the source section, in the order of filling them in. */
export const textFields: TextFieldLook[] = [
  {
    name: 'integration_id',
    placeholder: 'Choose or enter an ID',
    hint: 'The code-hosting integration.',
    monospace: true,
    wide: true,
  },
  { name: 'repo_url', placeholder: 'e.g. https://github.com/acme/support-agent', wide: true },
  {
    name: 'repo_ref',
    placeholder: 'e.g. main',
    hint: 'A branch, or refs/tags/… for a tag.',
    monospace: true,
  },
  {
    name: 'graph_config_path',
    placeholder: 'e.g. agent.json',
    hint: 'Path inside the code.',
    monospace: true,
  },
  {
    name: 'image_uri',
    placeholder: 'e.g. registry.example.com/agents/support:1.4.0',
    monospace: true,
    wide: true,
  },
  {
    name: 'source_tarball_path',
    placeholder: 'e.g. uploads/support-agent.tar.gz',
    monospace: true,
    wide: true,
  },
  { name: 'listener_id', hint: "Can't be changed later.", monospace: true, wide: true },
  {
    name: 'listener_config',
    path: [...fields.listener_config.path, 'k8s_namespace'],
    placeholder: 'e.g. agents',
    hint: "Can't be changed later.",
    monospace: true,
  },
  { name: 'custom_url', placeholder: 'e.g. https://support.example.com' },
  { name: 'install_command', placeholder: 'e.g. npm ci', monospace: true },
  { name: 'build_command', placeholder: 'e.g. npm run build', monospace: true },
]
