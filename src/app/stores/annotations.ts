import type { Annotation, AnnotationChange, Failure, Outcome } from '@contract'
import { succeed } from '@contract/core/outcome'
import { annotatedService, isEmptyAnnotation } from '@contract/app/personal-values'
import { shortText } from '@contract/deployment-api/list'
import { collator } from '@contract/core/order'
import { defineStore } from 'pinia'
import { computed, shallowRef, watch } from 'vue'
import { call, on } from '../api'
import { wordSearch } from '@/ui/format/words'
import { useAppStore } from './app'
import { useResource } from './resource'

/** The favourites, labels and notes of the current environment's deployments. The main process keeps them. */
export const useAnnotationsStore = defineStore('annotations', () => {
  const app = useAppStore()
  /** By the deployment's identifier. */
  const { value: byId, failure, load } = useResource(() => app.accountKey, read)
  /** The last favourite or labels that couldn't be saved, and how to repeat that; null after a good save. */
  const failedSave = shallowRef<{ failure: Failure; again: () => Promise<void> } | null>(null)
  let saves = 0

  const all = computed(() => [...(byId.value?.values() ?? [])])
  const idsWhere = (isWanted: (one: Annotation) => boolean): string[] =>
    all.value.filter(isWanted).map(({ deploymentId }) => deploymentId)

  /** The labels in use, the most frequent first. */
  const labels = computed(() => {
    const counts = new Map<string, number>()
    for (const label of all.value.flatMap((annotation) => annotation.labels))
      counts.set(label, (counts.get(label) ?? 0) + 1)
    return [...counts.keys()].sort(
      (one, other) => counts.get(other)! - counts.get(one)! || collator.compare(one, other),
    )
  })

  /** The deployments that are favourites or have a label, by their identifiers; null if neither is asked for. */
  function matching({ favourites, label }: { favourites: boolean; label: string | null }): string[] | null {
    if (!favourites && label === null) return null
    return idsWhere((one) => (one.favourite || !favourites) && (label === null || one.labels.includes(label)))
  }

  /**
   * The deployments whose note and labels have every word of a search, by their identifiers; none for an empty search.
   */
  function found(search: string): string[] {
    if (search.trim() === '') return []
    const matches = wordSearch(search)
    return idsWhere(({ deploymentId }) => matches(textOf(deploymentId)))
  }

  /** The text of a deployment's note and labels that a search looks through. */
  function textOf(deploymentId: string): string {
    const { note = '', labels = [] } = of(deploymentId) ?? {}
    return [note, ...labels].join('\n')
  }

  const of = (deploymentId: string): Annotation | null => byId.value?.get(deploymentId) ?? null

  /** Loads what isn't loaded yet. */
  async function open(): Promise<void> {
    if (byId.value === null) await load()
  }

  async function read(signal: AbortSignal): Promise<Outcome<ReadonlyMap<string, Annotation>>> {
    const before = saves
    const outcome = await call('annotations.list', { environmentId: app.currentEnvironmentId! }, { signal })
    if (!outcome.ok) return outcome
    // The answer may lack what was saved meanwhile.
    if (before !== saves) return await read(signal)
    return succeed(new Map(outcome.value.map((one) => [one.deploymentId, one])))
  }

  /**
   * Changes the annotation of a deployment of the current environment. Shows what is on the disk then; otherwise
   * `failedSave` says why not.
   *
   * @param name the deployment's name; null if it isn't known now
   */
  async function save(
    deploymentId: string,
    name: string | null,
    change: AnnotationChange['change'],
  ): Promise<void> {
    const { currentEnvironmentId: environmentId, environment, accountKey } = app
    if (environmentId === null) return
    const service = environment?.service ?? null
    const failed = await put({ environmentId, service, deploymentId, name, change })
    if (accountKey === app.accountKey) {
      failedSave.value = failed && { failure: failed, again: () => save(deploymentId, name, change) }
    }
  }

  /** Whether the current environment leads to the service of a change, with any account. */
  const isShown = ({ environmentId, service }: AnnotationChange): boolean =>
    environmentId === app.currentEnvironmentId &&
    annotatedService(service ?? '') === annotatedService(app.environment?.service ?? '')

  /** Changes an annotation of any environment. Gives null once it is on the disk, or why it isn't. */
  async function put(input: AnnotationChange): Promise<Failure | null> {
    const outcome = await call('annotations.save', { ...input, name: shortText(input.name) })
    if (!outcome.ok) return outcome.failure
    saves += 1
    if (!isShown(input)) return null
    if (byId.value === null) void load()
    else {
      const next = new Map(byId.value)
      if (isEmptyAnnotation(outcome.value)) next.delete(input.deploymentId)
      else next.set(input.deploymentId, outcome.value)
      byId.value = next
    }
    return null
  }

  watch(
    () => app.accountKey,
    () => (failedSave.value = null),
    { flush: 'sync' },
  )
  on('personal.changed', () => void load())

  /** Makes a deployment a favourite, or no favourite any more. */
  const toggle = (deploymentId: string, name: string | null): Promise<void> =>
    save(deploymentId, name, { favourite: !(of(deploymentId)?.favourite ?? false) })

  return { byId, failure, failedSave, labels, matching, found, textOf, of, open, load, save, toggle, put }
})
