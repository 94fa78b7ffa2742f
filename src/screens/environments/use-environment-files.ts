import type { Environment, Failure } from '@contract'
import type { OpenedEnvironments } from '@contract/app/environment-file'
import { computed, type Ref, ref, type ShallowRef, shallowRef } from 'vue'
import { useAppStore } from '@/stores/application/app'
import { useEnvironmentsStore } from '@/stores/application/environments'
import { importedFrom, type PrefilledDraft } from './dialog/prefilled'

interface EnvironmentFiles {
  /** The file that is being imported; null if there is none. */
  opened: Readonly<ShallowRef<OpenedEnvironments | null>>
  /** The indices of its environments that were added, with the names they were saved under. */
  added: Readonly<ShallowRef<ReadonlyMap<number, string>>>
  /** Why the last file couldn't be read or saved. */
  failure: Readonly<ShallowRef<Failure | null>>
  /** The result of the last export. */
  saved: Readonly<Ref<string | null>>
  /** Lets the operator choose a file to import. */
  choose: () => Promise<void>
  /** Starts the review of an environment of the file, and returns its draft. */
  review: (index: number) => PrefilledDraft | null
  /** Records that the reviewed environment was added. */
  noteSaved: (environment: Environment) => void
  /** Saves environments to a file. */
  save: (ids: string[]) => Promise<void>
  dismiss: () => void
}

/** Imports environments from files and exports them. */
export function useEnvironmentFiles(): EnvironmentFiles {
  const app = useAppStore()
  const store = useEnvironmentsStore()
  const opened = shallowRef<OpenedEnvironments | null>(null)
  const added = shallowRef<ReadonlyMap<number, string>>(new Map())
  const failure = shallowRef<Failure | null>(null)
  const saved = ref<string | null>(null)
  let reviewed: number | null = null

  function dismiss(): void {
    failure.value = null
    saved.value = null
  }

  async function choose(): Promise<void> {
    dismiss()
    const outcome = await store.openFile()
    if (!outcome.ok) failure.value = outcome.failure
    else if (outcome.value) {
      opened.value = outcome.value
      reviewed = null
      added.value = new Map()
    }
  }

  function review(index: number): PrefilledDraft | null {
    const environment = opened.value?.environments[index]
    if (!opened.value || !environment) return null
    reviewed = index
    return importedFrom(opened.value.fileName, environment, app.environments)
  }

  function noteSaved({ name }: Environment): void {
    if (reviewed !== null) added.value = new Map(added.value).set(reviewed, name)
    reviewed = null
  }

  async function save(ids: string[]): Promise<void> {
    dismiss()
    const outcome = await store.saveFile(ids)
    if (!outcome.ok) failure.value = outcome.failure
    else if (outcome.value.path !== null) {
      const { path, written, leftOut } = outcome.value
      const what = written === 1 ? 'one environment' : `${written} environments`
      const rest = leftOut.length === 0 ? '' : ` Left out, because they can't be read: ${leftOut.join(', ')}.`
      saved.value = `Exported ${what} without secrets to ${path}.${rest}`
    }
  }

  return {
    opened,
    added,
    failure,
    saved: computed(() => saved.value),
    choose,
    review,
    noteSaved,
    save,
    dismiss,
  }
}
