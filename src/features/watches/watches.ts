import type { CallInput, Failure } from '@contract'
import type { NoticeEntry, WatchesState, WatchToAdd, WatchView } from '@contract/cache'
import { stuckMinutes, type WatchKind, watchKinds, watchLimits } from '@contract/cache/choices'
import { orUnnamed } from '@contract/core/text'
import { shortText } from '@contract/deployment-api/list'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef, watch } from 'vue'
import { call, on } from '@/app/api'
import { useAppStore } from '@/app/stores/app'
import { useFollowed } from '@/app/stores/resource'
import { announce } from '@/app/window'
import { counted, formatCount } from '@/ui/format/words'

/** The operator's choices for a watch. */
export type WatchChoices = Pick<WatchView, 'tells' | 'stuckMinutes' | 'system'>

/** A list with its filters, as the subject of a watch. */
type WatchedList = Extract<WatchToAdd['on'], { kind: 'list' }>

/** The subject of the watch dialog: an existing watch, or a list to watch. */
export type EditedWatch = { watch: WatchView } | { list: WatchedList }

/** The calls that change watches or notices. */
type WatchCall =
  `watches.${'add' | 'change' | 'remove' | 'follow' | 'markRead' | 'dismiss' | 'restore' | 'setQuiet'}`

const nothing: WatchesState = { isRead: false, watches: [], notices: [], quiet: null, problem: null }

export const defaultChoices = (): WatchChoices => ({
  tells: [...watchKinds],
  stuckMinutes: stuckMinutes.default,
  system: false,
})

/** The operator's watches, and their notices. The main process stores both. */
export const useWatchesStore = defineStore('watches', () => {
  const app = useAppStore()
  const { state: known, load } = useFollowed('watches.changed', () => call('watches.state', {}))
  const state = computed((): WatchesState => known.value ?? nothing)
  /** Why the last change failed; null after a success. */
  const failure = shallowRef<Failure | null>(null)
  /** Whether the panel with the notices is open, and the notice that was chosen outside of it. */
  const isOpen = ref(false)
  const chosenId = ref<string | null>(null)
  /** The subject of the dialog; null while it is closed. */
  const edited = shallowRef<EditedWatch | null>(null)

  const unread = computed(() => state.value.notices.flatMap(({ id, isRead }) => (isRead ? [] : id)))

  /** The watch of a deployment of the current environment; null without one. */
  const of = (deploymentId: string): WatchView | null =>
    state.value.watches.find(
      (one) =>
        one.environmentId === app.currentEnvironmentId &&
        one.state !== 'elsewhere' &&
        one.on.kind === 'deployment' &&
        one.on.deploymentId === deploymentId,
    ) ?? null

  on('watches.shown', ({ noticeId }) => {
    chosenId.value = noticeId
    isOpen.value = true
  })

  /** Changes watches or notices; gives whether that was saved. */
  async function change<Name extends WatchCall>(name: Name, input: CallInput<Name>): Promise<boolean> {
    const outcome = await call(name, input)
    failure.value = outcome.ok ? null : outcome.failure
    return outcome.ok
  }

  /** Watches a deployment or a list of the current environment; gives whether that was saved. */
  async function add(watched: WatchToAdd['on'], choices: WatchChoices): Promise<boolean> {
    const { currentEnvironmentId: environmentId, environment } = app
    if (environmentId === null) return false
    const input = { environmentId, service: environment?.service ?? null, on: watched, ...choices }
    return await change('watches.add', input)
  }

  /** Makes a watch follow the service that its environment leads to now. */
  function follow({ id, environmentId }: WatchView): Promise<boolean> {
    const service = app.environmentOf(environmentId)?.service ?? null
    return change('watches.follow', { id, service })
  }

  /** All entries of a notice, whose state has only the first ones; null if they can't be read. */
  async function entriesOf(id: string): Promise<NoticeEntry[] | null> {
    const outcome = await call('watches.entries', { id })
    failure.value = outcome.ok ? null : outcome.failure
    return outcome.ok ? outcome.value : null
  }

  /** Opens the dialog of a watch. */
  function edit(what: EditedWatch): void {
    failure.value = null
    edited.value = what
  }

  /**
   * Watches a deployment with the default choices. If it is watched already, opens the dialog of its watch; if it can't
   * be watched, the notices, which say why.
   *
   * @param name null until it is known
   */
  async function watchOrEdit(deploymentId: string, name: string | null): Promise<void> {
    const own = of(deploymentId)
    const watched = { kind: 'deployment', deploymentId, name: shortText(name ?? '') } as const
    if (own) edit({ watch: own })
    else if (await add(watched, defaultChoices())) announce(`Watching ${orUnnamed(name ?? '')}.`)
    else isOpen.value = true
  }

  // A list belongs to the environment that it was shown in.
  watch(
    () => app.accountKey,
    () => {
      edited.value = null
    },
    { flush: 'sync' },
  )

  return {
    ...{ state, failure, isOpen, chosenId, edited, unread },
    ...{ of, load, change, add, follow, entriesOf, edit, watchOrEdit },
  }
})

/** The kinds of change that a watch can tell, as text for the operator. */
export const kindLabels: Record<WatchKind, string> = {
  changed: 'Changed',
  appeared: 'Appeared',
  gone: 'Deleted',
  stuck: 'Not active for long',
  active: 'Active again',
}

/** The state of a watch, as a sentence. */
export function watchStateText({ on, state, followed }: WatchView, isCurrent: boolean): string {
  if (state === 'elsewhere')
    return 'The environment now leads to another service. Nothing of this watch is asked there.'
  if (state === 'too-many')
    return `There are too many deployments to follow: ${formatCount(watchLimits.followed)} in an environment at most. Narrow the filters, or remove another watch.`
  if (state === 'waits')
    return on.kind === 'list' ? 'Begins with the next complete sync.' : 'Waits for the first answer.'
  const length = on.kind === 'list' ? `${counted(followed, 'deployment')}. ` : ''
  return isCurrent ? `${length}Followed.` : `${length}Followed while its environment is the current one.`
}

/** What a watch tells, on one line. */
export function tellsText({ tells, stuckMinutes, system }: WatchView): string {
  const kinds = tells.map((kind) =>
    kind === 'stuck' ? `not active after ${stuckMinutes} minutes` : kindLabels[kind].toLowerCase(),
  )
  return [...kinds, ...(system ? ['system notifications'] : [])].join(', ')
}
