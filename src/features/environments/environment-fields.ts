import {
  availableSources,
  type Environment,
  type EnvironmentColour,
  environmentColours,
  type EnvironmentMode,
  environmentModes,
  modeLabels,
  type Proxy,
  type Source,
  sourceLabels,
  sources,
} from '@contract'
import { linkKinds } from '@contract/app/environment'
import type { Path } from '@/ui/format/json-path'
import { defaultLinks, linkLabels } from '@/ui/format/links'
import { type FunctionalComponent, h } from 'vue'

/** A field of the environment dialog. */
export interface EnvironmentField {
  label: string
  /** Where its value is in the draft. */
  path: Path
  kind: 'text' | 'password' | 'lines' | 'switch' | 'radio'
  required?: boolean
  hint?: string
  placeholder?: string
  monospace?: boolean
  /** Of a radio field, and whether they are side by side. */
  options?: { value: string; label: string; hint?: string }[]
  inline?: boolean
  /** Its place among fields in two columns, as classes. */
  place?: string
}

/** The colours' names, so that no choice depends on colour alone. */
export const colourLabels: Record<EnvironmentColour, string> = {
  blue: 'Blue',
  teal: 'Teal',
  green: 'Green',
  amber: 'Amber',
  brown: 'Brown',
  purple: 'Purple',
  pink: 'Pink',
  grey: 'Grey',
}

export const colourField: EnvironmentField = {
  label: 'Colour',
  path: ['colour'],
  kind: 'radio',
  inline: true,
  options: environmentColours.map((value) => ({ value, label: colourLabels[value] })),
  place: 'col-span-full',
}

/** The sources that a mode allows, or those that it doesn't if they are fewer. */
function sourcesOf(mode: EnvironmentMode): string {
  const allowed = availableSources(mode)
  const others = sources.filter((source) => !allowed.includes(source))
  const list = (named: readonly Source[]): string =>
    named.map((source) => sourceLabels[source].toLowerCase()).join(', ')
  return others.length < allowed.length ? `All sources except ${list(others)}.` : `Sources: ${list(allowed)}.`
}

export const baseUrlField: EnvironmentField = {
  label: 'Base URL',
  path: ['baseUrl'],
  kind: 'text',
  required: true,
  monospace: true,
  placeholder: 'https://deploy.example.com',
}

/** The fields at the top of the dialog. */
export const mainFields: EnvironmentField[] = [
  { label: 'Name', path: ['name'], kind: 'text', required: true },
  baseUrlField,
  {
    label: 'Mode',
    path: ['mode'],
    kind: 'radio',
    options: environmentModes.map((value) => ({ value, label: modeLabels[value], hint: sourcesOf(value) })),
    place: 'row-span-2',
  },
  {
    label: 'Protected',
    path: ['protected'],
    kind: 'switch',
    hint: 'Creating and removing ask for its name.',
  },
  { label: 'Read-only', path: ['readOnly'], kind: 'switch', hint: 'Nothing can be created in it.' },
  colourField,
]

const proxyModeField: EnvironmentField = {
  label: 'Proxy',
  path: ['proxy', 'mode'],
  kind: 'radio',
  inline: true,
  options: [
    { label: 'System proxy', value: 'system' },
    { label: 'None', value: 'none' },
    { label: 'Manual', value: 'manual' },
    { label: 'PAC URL', value: 'pac-url' },
    { label: 'PAC script', value: 'pac-text' },
  ],
  place: 'col-span-full',
}

/** The fields of a proxy of a mode. */
export const proxyFields = (mode: Proxy['mode']): EnvironmentField[] => [
  proxyModeField,
  ...(fieldsByMode[mode] ?? []),
]

const fieldsByMode: Partial<Record<Proxy['mode'], EnvironmentField[]>> = {
  manual: [
    {
      label: 'Proxy host',
      path: ['proxy', 'host'],
      kind: 'text',
      monospace: true,
      placeholder: 'proxy.example.com',
    },
    { label: 'Proxy port', path: ['proxy', 'port'], kind: 'text', monospace: true, placeholder: '3128' },
    {
      label: 'Proxy user name',
      path: ['proxy', 'userName'],
      kind: 'text',
      hint: 'Leave empty if the proxy needs none.',
    },
    {
      label: 'Proxy password',
      path: ['proxy', 'password'],
      kind: 'password',
      hint: 'Stored in the keychain, for this proxy only.',
    },
  ],
  'pac-url': [
    {
      label: 'PAC URL',
      path: ['proxy', 'url'],
      kind: 'text',
      monospace: true,
      placeholder: 'https://example.com/proxy.pac',
      place: 'col-span-full',
    },
  ],
  'pac-text': [
    {
      label: 'PAC script text',
      path: ['proxy', 'text'],
      kind: 'lines',
      monospace: true,
      placeholder: 'function FindProxyForURL(url, host) { … }',
      place: 'col-span-full',
    },
  ],
}

/** The templates of a deployment's links to its app, studio and dashboard. An empty one is the default. */
export function linkFields(baseUrl: string): EnvironmentField[] {
  const defaults = defaultLinks(baseUrl)
  return linkKinds.map((kind) => ({
    label: linkLabels[kind],
    path: ['links', kind],
    kind: 'text',
    monospace: true,
    placeholder: defaults[kind] ?? 'none',
  }))
}

/** Where an environment's profile is stored. */
export const storageLabels: Record<Environment['storage'], string> = {
  'built-in': 'Built in',
  keychain: 'Keychain',
  session: 'Session',
}

/** The note beside the name of an environment that isn't in the keychain. */
export const remarks: Record<Environment['storage'], string | null> = {
  'built-in': 'Sample deployments, to try everything out.',
  keychain: null,
  session: 'This session only: there is no keychain to store it in.',
}

/** A part of the dialog with a heading and a line about it. */
export const DialogSection: FunctionalComponent<{ title: string }> = ({ title }, { slots }) =>
  h('section', { class: 'gap-2 flex flex-col', 'aria-label': title }, [
    h('div', { class: 'flex flex-wrap gap-y-0 gap-x-3 items-baseline' }, [
      h('h3', { class: 'text-base font-600' }, title),
      h('p', { class: 'text-faint text-small lh-small' }, slots['about']?.()),
    ]),
    slots['default']?.(),
  ])

DialogSection.props = { title: { type: String, required: true } }
