import type { Failure } from '@contract'
import { annotatedService } from '@contract/app/personal-values'
import { defineStore } from 'pinia'
import { useEventListener, useTimeoutFn } from '@vueuse/core'
import { computed, reactive, watch } from 'vue'
import { call, on } from '@/app/api'
import { useAnnotationsStore } from '@/app/stores/annotations'
import { useAppStore } from '@/app/stores/app'

/** How long typing pauses before a note is saved, in milliseconds. */
export const notePauseMs = 500

/** How long to wait before a failed save is repeated, in milliseconds. */
export const noteRetryMs = 10_000

/**
 * Failures that a retry can't mend. A locked keychain might ask for a password each time, and a note that is too long
 * stays so until it is changed.
 */
const isLasting = (code: Failure['code']): boolean =>
  ['invalid-input', 'keychain-locked', 'keychain-missing', 'keychain-refused'].includes(code)

/** A note that was typed and isn't on the disk yet. */
interface TypedNote {
  environmentId: string
  service: string | null
  deploymentId: string
  name: string | null
  text: string
  /** Why it couldn't be saved; null before the first attempt. */
  failure: Failure | null
}

/**
 * The notes that are being typed. Each is saved when typing pauses and when its field is left. One that can't be saved
 * stays here, also while other screens are shown, and is tried again by itself.
 */
export const useNotesStore = defineStore('notes', () => {
  const app = useAppStore()
  const annotations = useAnnotationsStore()
  /** By environment with its service, and deployment. */
  const typed = reactive(new Map<string, TypedNote>())
  const pause = useTimeoutFn(save, notePauseMs, { immediate: false })
  const retry = useTimeoutFn(save, noteRetryMs, { immediate: false })

  // Not by account: a note belongs to the service, not to the key, proxy or certificate rule it was read with.
  const keyOf = (deploymentId: string): string =>
    `${app.currentEnvironmentId ?? ''} ${annotatedService(app.environment?.service ?? '')} ${deploymentId}`

  /** The notes that couldn't be saved, why, and whether the current environment leads to their deployments. */
  const unsaved = computed(() =>
    [...typed].flatMap(([key, { environmentId, deploymentId, name, failure }]) =>
      failure ? { environmentId, deploymentId, name, failure, isHere: key === keyOf(deploymentId) } : [],
    ),
  )

  /** What the field of a deployment's note shows. */
  const textOf = (deploymentId: string): string =>
    typed.get(keyOf(deploymentId))?.text ?? annotations.of(deploymentId)?.note ?? ''

  const isUnsaved = (deploymentId: string): boolean => typed.has(keyOf(deploymentId))
  const failureOf = (deploymentId: string): Failure | null => typed.get(keyOf(deploymentId))?.failure ?? null

  /** Takes what was typed, and saves it soon. */
  function type(deploymentId: string, name: string | null, text: string): void {
    const { currentEnvironmentId: environmentId, environment } = app
    if (environmentId === null) return
    const key = keyOf(deploymentId)
    const failure = typed.get(key)?.failure ?? null
    const service = environment?.service ?? null
    typed.set(key, { environmentId, service, deploymentId, name, text, failure })
    pause.start()
  }

  /** Saves everything that was typed. */
  async function save(): Promise<void> {
    pause.stop()
    retry.stop()
    await Promise.all([...typed].map(([key, note]) => saveOne(key, note)))
    if (unsaved.value.every(({ failure }) => isLasting(failure.code))) retry.stop()
    else retry.start()
  }

  async function saveOne(key: string, { text, failure: _failure, ...of }: TypedNote): Promise<void> {
    const failure = await annotations.put({ ...of, change: { note: text } })
    const now = typed.get(key)
    // Notes of a removed environment are removed with it.
    const isGone = app.environmentOf(of.environmentId) === null
    // The operator may have typed more meanwhile.
    if (failure?.code === 'environment-changed' && isGone) typed.delete(key)
    else if (now && failure) now.failure = failure
    else if (now?.text === text) typed.delete(key)
    else if (now) now.failure = null
  }

  watch(
    () => app.state?.keychain.state === 'available',
    (isAvailable) => {
      if (isAvailable) void save()
    },
    { flush: 'sync' },
  )
  on('personal.changed', () => void save())
  useEventListener('beforeunload', () => void save())
  // The main process waits for this before it quits.
  on('annotations.flush', () => void save().then(() => call('annotations.flushed', {})))

  return { unsaved, textOf, isUnsaved, failureOf, type, save }
})
