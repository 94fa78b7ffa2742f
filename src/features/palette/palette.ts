import type { Failure } from '@contract'
import type { CachedPage } from '@contract/cache'
import { defineStore } from 'pinia'
import { ref, shallowRef, watch } from 'vue'
import { call } from '@/app/api'
import { useAppStore } from '@/app/stores/app'
import { useRecentsStore } from './recents'

/** How many cached deployments a search reads: enough to rank the best of them first. */
const limit = 50

/** The longest text that is searched for, in characters: as much as the cache takes. */
export const longestPaletteText = 200

/** The command palette: whether it is shown, and what the cache has for its text. */
export const usePaletteStore = defineStore('palette', () => {
  const app = useAppStore()
  const recents = useRecentsStore()

  const shown = ref(false)
  /** The cache's last answer; null before the first, and without a text. */
  const page = shallowRef<CachedPage | null>(null)
  const failure = shallowRef<Failure | null>(null)
  const searching = ref(false)

  let wanted: string | null = null
  /** The deployments whose notes or labels match a text. */
  let notedOf: (text: string) => string[] = () => []
  /** Counts openings: answers to earlier ones no longer count. */
  let opening = 0

  function open(): void {
    opening += 1
    shown.value = true
    page.value = null
    failure.value = null
    searching.value = false
    wanted = null
    void recents.load()
  }

  function close(): void {
    opening += 1
    shown.value = false
    wanted = null
  }

  /**
   * Searches the cache for a text. One search runs at a time, and then the one for the latest text: otherwise
   * searches would queue up there when the operator types faster than the cache answers.
   *
   * @param noted gives the deployments whose notes or labels match a text
   */
  function search(text: string, noted: typeof notedOf = () => []): void {
    notedOf = noted
    wanted = text.trim()
    if (wanted === '') {
      page.value = null
      failure.value = null
    }
    if (!searching.value) void searchOn(opening)
  }

  /** Whether the text was removed meanwhile. */
  const isEmptied = (): boolean => wanted === ''

  /** The text to search for next; null where there is none. */
  function takeWanted(): string | null {
    const text = wanted
    wanted = null
    return text === '' ? null : text
  }

  async function searchOn(own: number): Promise<void> {
    for (let text = takeWanted(); text !== null; text = takeWanted()) {
      const { currentEnvironmentId: environmentId, accountKey } = app
      if (environmentId === null) break
      searching.value = true
      const query = { search: text, noted: notedOf(text), sort: { by: 'name' as const, descending: false } }
      const request = { query, offset: 0, limit, snapshot: null }
      const outcome = await call('cache.page', { environmentId, request })
      if (own !== opening) return
      if (isEmptied() || accountKey !== app.accountKey) continue
      page.value = outcome.ok ? outcome.value : null
      failure.value = outcome.ok ? null : outcome.failure
    }
    searching.value = false
  }

  watch(
    () => app.accountKey,
    () => {
      page.value = null
      failure.value = null
    },
    { flush: 'sync' },
  )

  return { shown, page, failure, searching, open, close, search }
})
