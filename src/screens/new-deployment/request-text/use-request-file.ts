import { type Failure, failure as failed } from '@contract'
import { ref, type Ref } from 'vue'
import { call } from '@/api'
import { announce } from '@/composables/announcer'
import type { CodeLanguage } from '@/components/code/extensions'
import { useDraftsStore } from '@/stores/creation/drafts'
import { type Draft, requestOf } from '../../../domain/draft/draft'
import { withoutSecretValues } from '../../../domain/draft/mask-secrets'
import { draftFromFile } from '../../../domain/draft/import-file'
import { languages } from './languages'

/** Imports requests from files and saves them to files. */
export interface RequestFile {
  /** The failure of the last import or save. */
  failure: Ref<Failure | null>
  /** The message about the last save. */
  saved: Ref<string | null>
  importFile: () => Promise<void>
  saveFile: () => Promise<void>
}

/**
 * Imports a request into a new draft, and saves the request of the draft `now` without secret values. A `problem` of
 * `now` prevents saving, because the draft then is not what the screen shows.
 */
export function useRequestFile(
  now: () => { draft: Draft; language: CodeLanguage; problem: string | null },
): RequestFile {
  const store = useDraftsStore()
  const failure = ref<Failure | null>(null)
  const saved = ref<string | null>(null)

  function begin(): void {
    failure.value = null
    saved.value = null
  }

  return {
    failure,
    saved,

    async importFile() {
      begin()
      const opened = await call('requestFile.open', {})
      if (!opened.ok) failure.value = opened.failure
      if (!opened.ok || !opened.value) return
      const { fileName, text } = opened.value
      const reading = draftFromFile(fileName, text)
      if (reading.ok) {
        store.beginFromFile(reading.prefilled)
        announce(`${fileName} was imported into a new draft`)
        return
      }
      failure.value = failed('invalid-input', `${fileName} can't be read as a request.`, {
        advice: `${reading.message} Fix the file and import it again. Your drafts are unchanged.`,
      })
    },

    async saveFile() {
      begin()
      const { draft, language, problem } = now()
      if (problem !== null) {
        failure.value = failed('invalid-input', problem)
        return
      }
      const request = requestOf(draft)
      const file = withoutSecretValues(request)
      const outcome = await call('requestFile.save', {
        baseName: request.name.slice(0, 200),
        extension: language,
        text: `${languages[language].write(file).trimEnd()}\n`,
      })
      if (!outcome.ok) failure.value = outcome.failure
      if (!outcome.ok || outcome.value.path === null) return
      const values =
        file.secrets.length > 0
          ? ` Secret values aren't in the file (${file.secrets.map(({ name }) => name).join(', ')}).`
          : ''
      saved.value = `Saved as ${outcome.value.path}.${values}`
    },
  }
}
