import type { CodeLanguage } from '@/components/code/extensions'
import { type JsonText, readJson, writeJson } from '@/domain/text/json'
import { wantedAt } from '@/domain/text/wanted'
import { readYaml, writeYaml } from '@/domain/text/yaml'

/** A language that a request can be written in. */
export interface TextLanguage {
  label: string
  read: (text: string) => JsonText
  write: (value: unknown) => string
}

export const languages: Record<CodeLanguage, TextLanguage> = {
  json: { label: 'JSON', read: (text) => readJson(text, wantedAt), write: writeJson },
  yaml: { label: 'YAML', read: (text) => readYaml(text, wantedAt), write: writeYaml },
}
