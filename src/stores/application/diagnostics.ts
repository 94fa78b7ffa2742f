import type { DiagnosticsContent, Failure } from '@contract'
import { defineStore } from 'pinia'
import { ref, shallowRef } from 'vue'
import { call } from '@/api'

/** The dialog that shows the content of a diagnostics bundle and saves it. */
export const useDiagnosticsStore = defineStore('diagnostics', () => {
  const shown = ref(false)
  const content = shallowRef<DiagnosticsContent | null>(null)
  const failure = shallowRef<Failure | null>(null)
  const saving = ref(false)
  /** The path of the bundle that was saved since the dialog was opened. */
  const savedAs = ref<string | null>(null)

  function open(): void {
    shown.value = true
    savedAs.value = null
    void describe()
  }

  async function describe(): Promise<void> {
    failure.value = null
    content.value = null
    const outcome = await call('diagnostics.describe', {})
    if (outcome.ok) content.value = outcome.value
    else failure.value = outcome.failure
  }

  /** Lets the operator choose a path and saves the bundle there; gives whether it was saved. */
  async function save(): Promise<boolean> {
    if (saving.value) return false
    saving.value = true
    failure.value = null
    const outcome = await call('diagnostics.save', {})
    saving.value = false
    if (!outcome.ok) failure.value = outcome.failure
    else if (outcome.value.path !== null) savedAs.value = outcome.value.path
    return outcome.ok && outcome.value.path !== null
  }

  async function openLogFolder(): Promise<void> {
    const outcome = await call('diagnostics.openLogFolder', {})
    failure.value = outcome.ok ? null : outcome.failure
  }

  return { shown, content, failure, saving, savedAs, open, describe, save, openLogFolder }
})
