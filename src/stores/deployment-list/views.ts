import type { Failure, Outcome } from '@contract'
import type { SavedView, ViewContent } from '@contract/cache'
import { fail, succeed } from '@contract/core/outcome'
import { collator } from '@contract/core/order'
import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import { call, on } from '@/api'
import { freeName } from '@/domain/text/names'
import { useAppStore } from '@/stores/application/app'
import { useCachedDeploymentsStore } from './cached-deployments'
import { useDeploymentsStore } from './deployments'

/** A view without its name: how the list is shown. */
type ShownList = Omit<ViewContent, 'name'>

/** Saved views of the list: for the current environment, and for all. */
export const useViewsStore = defineStore('views', () => {
  const app = useAppStore()
  const live = useDeploymentsStore()
  const cached = useCachedDeploymentsStore()
  /** The views of all environments; null until they are read, or while they can't be. */
  const all = shallowRef<readonly SavedView[] | null>(null)
  /** Why they can't be read; null if nothing is wrong. */
  const failure = shallowRef<Failure | null>(null)

  /** The views that can be used here, by name. */
  const available = computed(() =>
    (all.value ?? [])
      .filter(({ environmentId }) => environmentId === null || environmentId === app.currentEnvironmentId)
      .sort((one, other) => collator.compare(one.name, other.name)),
  )

  /** The present filters, order and page size as a view. */
  const shown = computed<ShownList>(() => {
    const { filters } = live
    const isSorted = cached.chosen === 'cached' && cached.reason === 'sort'
    const isCached = cached.chosen === 'cached' && cached.reason === null
    const { by, descending } = cached.sort
    return {
      filters: { ...filters, statuses: [...filters.statuses] },
      data: isSorted ? 'sorted' : isCached ? 'cached' : 'live',
      sort: isSorted || isCached ? { by, descending } : null,
      pageSize: live.pageSize,
    }
  })

  /** The view that matches the list exactly; null if none does. */
  const current = computed(
    () => available.value.find((view) => isSameList(listOf(view), shown.value)) ?? null,
  )

  async function take(calling: Promise<Outcome<SavedView[]>>): Promise<Failure | null> {
    const outcome = await calling
    if (!outcome.ok) return outcome.failure
    all.value = outcome.value
    failure.value = null
    return null
  }

  async function load(): Promise<void> {
    failure.value = await take(call('views.list', {}, { quiet: true }))
  }

  /** Loads what isn't loaded yet. */
  async function open(): Promise<void> {
    if (all.value === null) await load()
  }

  /** Applies a view to the list. */
  function apply(view: SavedView): void {
    cached.showAs(view.data, view.sort)
    live.showAs({ ...view.filters }, view.pageSize)
  }

  /** The view of a name in an environment, or for all (null). */
  const named = (name: string, environmentId: string | null): SavedView | null =>
    all.value?.find((view) => view.name === name.trim() && view.environmentId === environmentId) ?? null

  /** Saves how the list is shown now; replaces the view of that name. Gives null, or why it failed. */
  function save(name: string, environmentId: string | null): Promise<Failure | null> {
    const id = named(name, environmentId)?.id ?? crypto.randomUUID()
    return put([{ ...shown.value, id, environmentId, name: name.trim() }])
  }

  /** Changes a view to how the list is shown now. */
  const replace = (view: SavedView): Promise<Failure | null> => put([{ ...view, ...shown.value }])

  const rename = (view: SavedView, name: string): Promise<Failure | null> =>
    put([{ ...view, name: name.trim() }])

  /** Adds the views of a file, each under a name that is free wherever the view is offered. Gives their identifiers. */
  async function add(
    views: readonly ViewContent[],
    environmentId: string | null,
  ): Promise<Outcome<readonly string[]>> {
    const added: SavedView[] = []
    const beside = (all.value ?? []).filter(
      (view) => environmentId === null || view.environmentId === null || view.environmentId === environmentId,
    )
    const isTaken = (name: string): boolean => [...beside, ...added].some((view) => view.name === name)
    for (const view of views) {
      const name = freeName(view.name, isTaken, (number) => (number === 1 ? '' : ` (${number})`))
      added.push({ ...view, id: crypto.randomUUID(), environmentId, name })
    }
    const failed = await put(added)
    return failed ? fail(failed) : succeed(added.map(({ id }) => id))
  }

  const put = (views: SavedView[]): Promise<Failure | null> =>
    take(call('views.save', { views }, { quiet: true }))

  /** Removes views by their identifiers. Gives null, or why it failed. */
  const remove = (ids: readonly string[]): Promise<Failure | null> =>
    take(call('views.remove', { ids: [...ids] }, { quiet: true }))

  /** Saves views to a file; gives where, or null if the operator cancels. */
  const share = (views: readonly SavedView[]): Promise<Outcome<{ path: string | null }>> =>
    call('views.share', { ids: views.map(({ id }) => id) }, { quiet: true })

  /** Reads a file with views, and adds none of them. */
  const read = (): Promise<Outcome<{ fileName: string; views: ViewContent[] } | null>> =>
    call('views.read', {}, { quiet: true })

  on('personal.changed', () => void load())

  return {
    all,
    available,
    current,
    failure,
    open,
    load,
    apply,
    named,
    save,
    replace,
    rename,
    add,
    remove,
    share,
    read,
  }
})

const listOf = ({ id: _id, environmentId: _environment, name: _name, ...list }: SavedView): ShownList => list

/** Whether two views show the same list; the order of members doesn't matter. */
function isSameList(one: ShownList, other: ShownList): boolean {
  const text = ({ filters, data, sort, pageSize }: ShownList): string =>
    JSON.stringify([
      Object.entries(filters).sort(([first], [second]) => (first < second ? -1 : 1)),
      ...[data, sort?.by, sort?.descending, pageSize],
    ])
  return text(one) === text(other)
}
