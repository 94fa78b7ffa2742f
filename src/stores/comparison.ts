import type { Failure } from '@contract'
import { fail, failure } from '@contract/core/outcome'
import type { FoundDeployment } from '@contract/ipc/calls/caches'
import { compare, type ComparedField } from '@domain/compare/compare'
import { readSide } from '@domain/compare/side'
import { defineStore } from 'pinia'
import { computed, shallowReactive, shallowRef, watch } from 'vue'
import { call } from '@/api'
import type { SideRef } from '@/domain/side-ref'
import { requestOf } from '@/domain/draft/draft'
import { draftFromFile } from '@/domain/draft/prefill'
import { useAppStore } from './application/app'
import { createLatestCall } from './application/latest-call'
import { createComparedSide, type OpenedFile } from './compared-side'
import { useIgnoredFieldsStore } from './ignored-fields'

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

  /** Cached deployments that match the last search. */
  const found = shallowRef<readonly FoundDeployment[]>([])
  /** Environments whose caches couldn't be read. */
  const unread = shallowRef<readonly string[]>([])
  const searching = createLatestCall()

  /** Searches the caches of all environments. */
  async function search(text: string): Promise<void> {
    const outcome = await searching.make((signal) =>
      call('comparison.find', { search: text.trim().slice(0, 200) }, { signal, quiet: true }),
    )
    if (!outcome?.ok) return
    found.value = outcome.value.found
    unread.value = outcome.value.unread
  }

  // After an environment was edited, its earlier cache says nothing about where it leads now.
  watch(
    () => app.environments.map(({ id }) => app.accountKeyOf(id)).join('\n'),
    () => {
      searching.cancel()
      found.value = []
    },
    { flush: 'sync' },
  )

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
