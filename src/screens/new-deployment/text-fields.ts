import { type FieldName, fields } from './model/fields'
import type { Path } from './model/tree'

/** How a text of the request is shown in the form. */
export interface TextFieldLook {
  name: FieldName
  /** Where the text is, when it is inside the field's member. */
  path?: Path
  placeholder?: string
  hint?: string
  monospace?: boolean
  /** Takes both columns. */
  wide?: boolean
}

/** The texts of the source section, in the order in which one fills them in. */
export const textFields: TextFieldLook[] = [
  {
    name: 'integration_id',
    placeholder: '0b9f4a52-7c1e-4d0a-9a44-3f1f8c2b6d10',
    monospace: true,
    wide: true,
  },
  { name: 'repo_url', placeholder: 'https://github.com/acme/support-agent', wide: true },
  { name: 'repo_ref', placeholder: 'main', hint: 'A branch, or refs/tags/… for a tag.', monospace: true },
  { name: 'graph_config_path', placeholder: 'agent.json', hint: 'Path inside the code.', monospace: true },
  {
    name: 'image_uri',
    placeholder: 'registry.example.com/agents/support:1.4.0',
    monospace: true,
    wide: true,
  },
  { name: 'source_tarball_path', placeholder: 'uploads/support-agent.tar.gz', monospace: true, wide: true },
  { name: 'listener_id', hint: 'Cannot be changed afterwards.', monospace: true, wide: true },
  {
    name: 'listener_config',
    path: [...fields.listener_config.path, 'k8s_namespace'],
    placeholder: 'agents',
    hint: 'Cannot be changed afterwards.',
    monospace: true,
  },
  { name: 'custom_url', placeholder: 'https://support.example.com' },
  { name: 'install_command', placeholder: 'npm ci', monospace: true },
  { name: 'build_command', placeholder: 'npm run build', monospace: true },
]
