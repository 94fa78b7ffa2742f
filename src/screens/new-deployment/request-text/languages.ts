import type { CodeLanguage } from '@/components/code/extensions'
import { type JsonText, readJson, writeJson } from '../model/json-text'
import { readYaml, writeYaml } from '../model/yaml-text'

/** A language that a request can be written in. */
export interface TextLanguage {
  label: string
  read: (text: string) => JsonText
  write: (value: unknown) => string
}

export const languages: Record<CodeLanguage, TextLanguage> = {
  json: { label: 'JSON', read: readJson, write: writeJson },
  yaml: { label: 'YAML', read: readYaml, write: writeYaml },
}
