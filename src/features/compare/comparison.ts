import type { DeploymentDetail, Failure, Outcome } from '@contract'
import { exactly, parseExact } from '@contract/core/exact-json'
import { fail, failure, succeed } from '@contract/core/outcome'
import { type Origin, readSide, type Side } from '@domain/compare/side'
import {
  computed,
  markRaw,
  shallowReactive,
  type ShallowReactive,
  shallowRef,
  watch,
  type ComputedRef,
} from 'vue'
import { call, on } from '@/app/api'
import { type SideRef, sideText } from './side-ref'
import { draftName, requestOf } from '@/features/new-deployment/draft/draft'
import { useAppStore } from '@/app/stores/app'
import { useDraftsStore } from '@/features/new-deployment/drafts'
import { useResource } from '@/app/stores/resource'
import type { IgnoredField } from '@contract/app/personal'
import { defineStore } from 'pinia'
import type { FoundDeployment } from '@contract/ipc/calls/caches'
import { compare, type ComparedField } from '@domain/compare/compare'
import { draftFromFile } from '@/features/new-deployment/draft/prefill'
import { orUnnamed, shownText } from '@contract/core/text'
import type { SelectOption } from '@/ui/form/field'
import { absoluteTime } from '@/ui/format/time'
import { useDeploymentsStore } from '@/features/list/deployments'
import { useSelectionStore } from '@/features/list/selection'

/** A side with the information that the operator needs about it. It contains no value of a secret. */
export interface ReadSide {
  side: Side
  name: string
  /** Its environment; null for a file. */
  environmentId: string | null
  from: 'service' | 'cache' | 'history' | 'draft' | 'file'
  /** When a service last answered with it (ISO 8601); null for a draft or file. */
  asOf: string | null
  /** Since when the service no longer has it (ISO 8601); null if it still has it, as far as is known. */
  goneAt: string | null
  /** The service's failure, if the cached copy is shown because of it. */
  serviceFailure: Failure | null
}

/** A file that was opened in this session. */
interface OpenedFile {
  fileName: string
  side: Side
}

/** One of the two sides of a comparison. */
export interface ComparedSide {
  readonly wanted: SideRef | null
  readonly read: ReadSide | null
  readonly failure: Failure | null
  readonly loading: boolean
  /** Changes the side, or reads the same one again. */
  open: (side: SideRef | null) => Promise<void>
}

/** Statuses that say of the deployment that it isn't there, or isn't for this account. */
const refusingStatuses: readonly (number | null)[] = [401, 403, 404]

type DeploymentRef = Exclude<SideRef, { kind: 'file' }>

type AnyDetail = DeploymentDetail & { serviceFailure?: ReadSide['serviceFailure'] }

/** @param files the opened files, by number */
function createComparedSide(files: ShallowReactive<Map<string, OpenedFile>>): ComparedSide {
  const app = useAppStore()
  const drafts = useDraftsStore()
  const wanted = shallowRef<SideRef | null>(null)

  const isKnown = (environmentId: string): boolean => app.environmentOf(environmentId) !== null

  /** Where the side's environment leads; null if it doesn't exist. */
  function leadsTo(): string | null {
    const id = environmentOf(wanted.value)
    return id !== null && isKnown(id) ? app.accountKeyOf(id) : null
  }

  const deployment = useResource<ReadSide>(
    () => JSON.stringify([wanted.value, leadsTo()]),
    async (signal) => {
      const side = wanted.value as DeploymentRef
      const outcome = await detailOf(side, signal)
      if (!outcome.ok) return outcome
      const read = sideOf(outcome.value, side)
      return read ? succeed(read) : fail(unreadable)
    },
  )

  async function open(side: SideRef | null): Promise<void> {
    wanted.value = side
    deployment.reset()
    if (side?.kind === 'draft') openDrafts(side.environmentId)
    if (side?.kind === 'deployment' || side?.kind === 'earlier') await deployment.load()
  }

  function openDrafts(environmentId: string): void {
    const profile = app.environmentOf(environmentId)?.profile
    if (profile) drafts.open(environmentId, profile.mode)
  }

  /**
   * Reads a deployment: of the current environment from the service, of any other from the cache, and from there too if
   * the service fails. A service that refuses it doesn't fail.
   */
  async function detailOf(side: DeploymentRef, signal: AbortSignal): Promise<Outcome<AnyDetail>> {
    const { environmentId, id } = side
    if (!isKnown(environmentId)) return fail(noEnvironment)
    if (side.kind === 'earlier') return earlierOf(side, signal)
    let serviceFailure: Failure | null = null
    if (environmentId === app.currentEnvironmentId) {
      const outcome = await call('deployments.get', { environmentId, id }, { signal })
      if (outcome.ok || signal.aborted) return outcome
      if (refusingStatuses.includes(outcome.failure.status)) return outcome
      if (outcome.failure.code !== 'environment-changed') serviceFailure = outcome.failure
    }
    const cached = await call('comparison.deployment', { environmentId, id }, { signal })
    if (cached.ok) return succeed({ ...cached.value, serviceFailure })
    return serviceFailure ? fail(serviceFailure) : cached
  }

  async function earlierOf(
    { environmentId, id, point }: Extract<SideRef, { kind: 'earlier' }>,
    signal: AbortSignal,
  ): Promise<Outcome<DeploymentDetail>> {
    const outcome = await call('history.earlier', { environmentId, request: { id, point } }, { signal })
    if (!outcome.ok) return outcome
    return outcome.value ? succeed(outcome.value) : fail(notStored)
  }

  /** What the side leads to, or why it can't be shown; null while it is being read. */
  const found = computed((): Outcome<ReadSide> | null => {
    const side = wanted.value
    if (!side) return null
    if (side.kind === 'file') {
      const file = files.get(side.id)
      if (!file) return fail(noFile)
      return succeed({ ...plain, ...file, name: file.fileName, environmentId: null, from: 'file' })
    }
    if (side.kind === 'draft') return draftOf(side)
    const { value, failure: failed } = deployment
    return value.value ? succeed(value.value) : failed.value && fail(failed.value)
  })

  function draftOf({ environmentId, id }: DeploymentRef): Outcome<ReadSide> | null {
    if (!isKnown(environmentId)) return fail(noEnvironment)
    const form = drafts.forms.get(environmentId)
    if (!form) return fail(noProfile)
    const entry = form.drafts.find((one) => one.id === id)
    if (!entry) return form.loaded ? fail(noDraft) : null
    const { draft, number } = entry
    const side = readSide(requestOf(draft), { kind: 'request', environmentId })
    if (!side) return fail(unreadable)
    return succeed({ ...plain, side, name: draftName(draft, number), environmentId, from: 'draft' })
  }

  // After an environment was edited or removed, its earlier data says nothing about where it leads now.
  watch(
    [() => environmentOf(wanted.value), leadsTo],
    ([id, now], [idBefore, before]) => {
      if (id !== null && id === idBefore && now !== before) void open(wanted.value)
    },
    { flush: 'sync' },
  )

  // Marked raw: a store would make every field of a side reactive.
  return markRaw({
    get wanted() {
      return wanted.value
    },
    get read() {
      return found.value?.ok ? found.value.value : null
    },
    get failure() {
      return found.value?.ok === false ? found.value.failure : null
    },
    get loading() {
      return wanted.value !== null && found.value === null
    },
    open,
  })
}

const environmentOf = (side: SideRef | null): string | null =>
  side && side.kind !== 'file' ? side.environmentId : null

const plain = { asOf: null, goneAt: null, serviceFailure: null }

/** The side of a deployment; null if another one was answered, or it is nested too deeply. */
function sideOf(detail: AnyDetail, { kind, environmentId, id }: DeploymentRef): ReadSide | null {
  if (detail.environmentId !== environmentId || detail.deployment.id !== id) return null
  const origin: Origin = { kind: 'answer', environmentId }
  const side = readSide(exactly(parseExact(detail.json)).value, origin)
  return (
    side && {
      side: { ...side, shortened: side.shortened || detail.shortened },
      name: detail.deployment.name,
      environmentId,
      from: kind === 'earlier' ? 'history' : detail.fromCache ? 'cache' : 'service',
      asOf: detail.fetchedAt,
      goneAt: detail.fromCache?.goneAt ?? null,
      serviceFailure: detail.serviceFailure ?? null,
    }
  )
}

const unreadable = failure('unreadable-answer', "This deployment can't be compared: it is nested too deeply.")

const notStored = failure('not-found', "What the deployment was at this point isn't kept.", {
  advice: 'It was too large, or is older than the history is kept for. Choose a later point.',
})

const noEnvironment = failure('not-found', 'This environment no longer exists.', {
  advice: 'Choose another deployment.',
})

const noProfile = failure(
  'not-found',
  "This environment's profile can't be read, so its drafts can't be, either.",
  {
    advice: 'Unlock the keychain, then compare again.',
  },
)

const noDraft = failure('not-found', 'This draft no longer exists.', { advice: 'Choose another side.' })

const noFile = failure('not-found', 'This file is no longer open.', { advice: 'Open it again.' })

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

/** The option to choose a file. It can't collide with a side: `readSideText` knows no such kind. */
export const fileOption: SelectOption = { value: 'open-file', label: 'Open a file…' }

interface Offered {
  side: SideRef
  label: string
}

/**
 * The options for a side: the current choice, the deployments in the list and the selected ones, cached ones that
 * match the typed text, drafts, and open files. Each names its environment.
 */
export function useSideOptions(): ComputedRef<SelectOption[]> {
  const app = useAppStore()
  const comparison = useComparisonStore()
  const drafts = useDraftsStore()
  const list = useDeploymentsStore()
  const selected = useSelectionStore()

  const inEnvironment = (name: string, environmentId: string): string => {
    const environment = app.environmentOf(environmentId)
    const where = environment ? orUnnamed(environment.name) : 'removed environment'
    // The field shows the text unchanged, so no name may reorder or hide what is beside it.
    return `${shownText(orUnnamed(name))} · ${shownText(where)}`
  }

  const deployment = (environmentId: string, { id, name }: { id: string; name: string }): Offered => ({
    side: { kind: 'deployment', environmentId, id },
    label: inEnvironment(name, environmentId),
  })

  function chosen({ wanted: side, read }: ComparedSide): Offered[] {
    if (!side || side.kind === 'file') return []
    const name = read?.name ?? side.id
    const label = inEnvironment(name, side.environmentId)
    if (side.kind === 'earlier') {
      const seenAt = read?.asOf ? absoluteTime(read.asOf) : `point ${side.point}`
      return [{ side, label: `${label} · ${seenAt}` }]
    }
    return [{ side, label: side.kind === 'draft' ? `Draft ${label}` : label }]
  }

  return computed(() => {
    const { currentEnvironmentId: current } = app
    const rows = current === null ? [] : [...selected.rows, ...(list.live.page?.deployments ?? [])]
    const offered: Offered[] = [
      ...chosen(comparison.left),
      ...chosen(comparison.right),
      ...rows.map((row) => deployment(current!, row)),
      ...comparison.found.map((found) => deployment(found.environmentId, found)),
      ...[...drafts.forms.values()].flatMap(({ environmentId, drafts: entries }) =>
        entries.map(({ id, number, draft }): Offered => ({
          side: { kind: 'draft', environmentId, id },
          label: `Draft ${inEnvironment(draftName(draft, number), environmentId)}`,
        })),
      ),
      ...[...comparison.files].map(([id, { fileName }]): Offered => ({
        side: { kind: 'file', id },
        label: `File ${shownText(fileName)}`,
      })),
    ]
    return [...optionsOf(offered), fileOption]
  })
}

/** One option for each side. Those with the same label get their identifiers appended. */
function optionsOf(offered: readonly Offered[]): SelectOption[] {
  const byValue = new Map(offered.map(({ side, label }) => [sideText(side), { side, label }]))
  const counts = new Map<string, number>()
  for (const { label } of byValue.values()) counts.set(label, (counts.get(label) ?? 0) + 1)
  return [...byValue].map(([value, { side, label }]) => ({
    value,
    label: counts.get(label) === 1 ? label : `${label} · ${side.id}`,
  }))
}
