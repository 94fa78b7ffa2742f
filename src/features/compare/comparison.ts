import type { Failure, Outcome } from '@contract'
import type { IgnoredField } from '@contract/app/personal'
import { defineStore } from 'pinia'
import { computed, shallowReactive, shallowRef } from 'vue'
import { call, on } from '@/app/api'
import { fail, failure } from '@contract/core/outcome'
import type { FoundDeployment } from '@contract/ipc/calls/caches'
import { compare, type ComparedField } from '@domain/compare/compare'
import { readSide } from '@domain/compare/side'
import type { SideRef } from './side-ref'
import { requestOf } from '@/features/new-deployment/draft/draft'
import { draftFromFile } from '@/features/new-deployment/draft/prefill'
import { useAppStore } from '@/app/stores/app'
import { createComparedSide, type OpenedFile } from './compared-side'
import { useResource } from '@/app/stores/resource'

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

  const load = (): Promise<boolean> => take(call('comparison.ignored', {}))

  /** Ignores a field in comparisons, or includes it again; gives whether that was saved. */
  const set = (field: IgnoredField, isIgnored: boolean): Promise<boolean> =>
    take(call('comparison.ignore', { field, isIgnored }))

  on('personal.changed', () => void load())

  return { fields, keys, failure, load, set }
})

/** The two sides of the comparison, their differences, and the possible sides. */
export const useComparisonStore = defineStore('comparison', () => {
  const app = useAppStore()
  const ignored = useIgnoredFieldsStore()
  const files = shallowReactive(new Map<string, OpenedFile>())
  const left = createComparedSide(files)
  const right = createComparedSide(files)

  /** Every field of either side; null until both are read. */
  const fields = computed<readonly ComparedField[] | null>(() => {
    const [one, other] = [left.read, right.read]
    return one && other && compare(one.side, other.side, ignored.keys)
  })

  let searched = ''
  // After an environment was edited, its earlier cache says nothing about where it leads now.
  const searching = useResource(
    () => app.environments.map(({ id }) => app.accountKeyOf(id)).join('\n'),
    (signal) => call('comparison.find', { search: searched }, { signal }),
  )
  /** Cached deployments that match the last search. */
  const found = computed((): readonly FoundDeployment[] => searching.value.value?.found ?? [])
  /** Environments whose caches couldn't be read. */
  const unread = computed((): readonly string[] => searching.value.value?.unread ?? [])

  /** Searches the caches of all environments. */
  function search(text: string): Promise<void> {
    searched = text.trim().slice(0, 200)
    return searching.load()
  }

  /** Lets the operator choose a file with a request. Gives it as a side; null if they choose none. */
  async function openFile(): Promise<{ ok: true; value: SideRef | null } | { ok: false; failure: Failure }> {
    const opened = await call('requestFile.open', {})
    if (!opened.ok) return opened
    if (!opened.value) return { ok: true, value: null }
    const { fileName, text } = opened.value
    const reading = draftFromFile(fileName, text)
    const side = reading.ok
      ? readSide(requestOf(reading.prefilled.draft), { kind: 'request', environmentId: null })
      : null
    if (!side) {
      const advice = reading.ok ? 'It is nested too deeply.' : reading.message
      return fail(failure('invalid-input', `${fileName} can't be read as a request.`, { advice }))
    }
    const id = String(files.size + 1)
    files.set(id, { fileName, side })
    return { ok: true, value: { kind: 'file', id } }
  }

  /** Forgets the sides. Files stay open for the way back. */
  function close(): void {
    searching.cancel()
    void left.open(null)
    void right.open(null)
  }

  return { left, right, files, fields, found, unread, search, openFile, close }
})
