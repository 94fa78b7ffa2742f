import { type DraftContent, type DraftTemplate, isSecretMark } from '@contract'
import { type Draft, emptyDraft, type EnteredRequest } from './draft'
import { fieldNames } from './fields'
import type { Prefilled } from './prefill'
import { copyJson, isJsonObject } from '../text/json-path'

/** The content of a draft for saving. `draftOfContent` returns the same draft. */
export function contentOf(draft: Draft): DraftContent {
  return copyJson(draft) as unknown as DraftContent
}

/** Restores a saved draft, perhaps of another version. Missing members that the form needs get a default. */
export function draftOfContent(content: DraftContent): Draft {
  const restored = copyJson(content) as unknown as Partial<Draft> & { entered: Partial<EnteredRequest> }
  const { name, source, source_config, source_revision_config, secrets, ...others } = restored.entered
  return {
    ...restored,
    // In the order of the request that is shown beside the form.
    entered: {
      name: name ?? '',
      source: typeof source === 'string' ? source : emptyDraft('cloud').entered.source,
      source_config: isJsonObject(source_config) ? source_config : {},
      source_revision_config: isJsonObject(source_revision_config) ? source_revision_config : {},
      secrets: secrets ?? [],
      ...others,
    },
    alsoSent: Array.isArray(restored.alsoSent)
      ? restored.alsoSent.filter((field) => fieldNames.includes(field))
      : [],
  }
}

/**
 * A draft's content for a template: without the name, which belongs to one deployment, and without values of secrets.
 */
export function templateContent(draft: Draft): DraftContent {
  const content = contentOf(draft)
  const secrets = content.entered.secrets.map((secret) => ({ ...secret, value: '' }))
  return { ...content, entered: { ...content.entered, name: '', secrets } }
}

/** A draft from a template. */
export function draftFromTemplate({ name, content }: DraftTemplate): Prefilled {
  const draft = draftOfContent(content)
  const secrets = draft.entered.secrets.map((secret) => secret.name).filter(Boolean)
  return {
    draft,
    title: `From the template "${name}". Not copied:`,
    notes: [
      'Name: it belongs to one deployment. Choose a new one.',
      ...(secrets.length > 0 ? [`Secret values: enter those of ${secrets.join(', ')}.`] : []),
    ],
  }
}

/** The names of the secrets that have values, entered now or stored before. */
export const namesWithValues = ({ entered }: Draft): string[] =>
  entered.secrets.filter(({ value }) => value !== '').map(({ name }) => name || 'unnamed')

/** Whether a secret's value is in the main process. It can only be replaced or removed. */
export const hasStoredValue = ({ value }: { value: string }): boolean => isSecretMark(value)
