import type { DraftTemplate, Failure } from '@contract'
import { defineStore } from 'pinia'
import { call } from '@/api'
import { type Draft, templateContent } from '@/domain/draft/draft'
import type { EnvironmentForm } from './draft-entry'
import { useDraftsStore } from './drafts'

/** Saves and removes the templates of an environment. Each function gives null, or why it failed. */
export const useTemplatesStore = defineStore('templates', () => {
  const drafts = useDraftsStore()

  /** Saves a draft as a template, without values of secrets. */
  const save = (form: EnvironmentForm, name: string, draft: Draft): Promise<Failure | null> =>
    put(form, { id: crypto.randomUUID(), name, content: templateContent(draft) })

  const rename = (form: EnvironmentForm, template: DraftTemplate, name: string): Promise<Failure | null> =>
    put(form, { ...template, name })

  async function put(form: EnvironmentForm, template: DraftTemplate): Promise<Failure | null> {
    const { environmentId } = form
    const outcome = await call('drafts.saveTemplate', { environmentId, template }, { quiet: true })
    if (!outcome.ok) return outcome.failure
    drafts.setPersistence(outcome.value)
    form.templates = form.templates.some(({ id }) => id === template.id)
      ? form.templates.map((other) => (other.id === template.id ? template : other))
      : [...form.templates, template]
    return null
  }

  async function remove(form: EnvironmentForm, { id }: DraftTemplate): Promise<Failure | null> {
    const { environmentId } = form
    const outcome = await call('drafts.removeTemplate', { environmentId, id }, { quiet: true })
    if (!outcome.ok) return outcome.failure
    form.templates = form.templates.filter((other) => other.id !== id)
    return null
  }

  return { save, rename, remove }
})
