import type { Failure, Outcome } from '@contract'
import type { IgnoredField } from '@contract/app/personal'
import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import { call, on } from '@/api'

/** The fields that comparisons ignore. The main process stores them. */
export const useIgnoredFieldsStore = defineStore('ignored-fields', () => {
  /** In the order they were added; empty until they are loaded. */
  const fields = shallowRef<readonly IgnoredField[]>([])
  const failure = shallowRef<Failure | null>(null)

  const keys = computed<ReadonlySet<string>>(() => new Set(fields.value.map(({ key }) => key)))

  async function take(calling: Promise<Outcome<IgnoredField[]>>): Promise<boolean> {
    const outcome = await calling
    failure.value = outcome.ok ? null : outcome.failure
    if (outcome.ok) fields.value = outcome.value
    return outcome.ok
  }

  const load = (): Promise<boolean> => take(call('comparison.ignored', {}, { quiet: true }))

  /** Ignores a field in comparisons, or includes it again; gives whether that was saved. */
  const set = (field: IgnoredField, isIgnored: boolean): Promise<boolean> =>
    take(call('comparison.ignore', { field, isIgnored }, { quiet: true }))

  on('personal.changed', () => void load())

  return { fields, keys, failure, load, set }
})
