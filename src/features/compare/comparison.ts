import type { DeploymentDetail, Failure, Outcome } from '@contract'
import { exactly, parseExact } from '@contract/core/exact-json'
import { fail, failure, succeed } from '@contract/core/outcome'
import { type Origin, readSide, type Side } from '@domain/compare/side'
import { computed, type ComputedRef, proxyRefs, shallowReactive, watch } from 'vue'
import { call } from '@/app/api'
import { type SideRef, sideText } from './side-ref'
import { draftName, requestOf } from '@/features/new-deployment/draft/draft'
import { useAppStore } from '@/app/stores/app'
import { useDraftsStore } from '@/features/new-deployment/drafts'
import { useResource } from '@/app/stores/resource'
import type { FoundDeployment } from '@contract/ipc/calls/caches'
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
  from: 'service' | 'cache' | 'history' | 'draft' | 'file'
  /** When a service last answered with it (ISO 8601); null for a draft or file. */
  asOf: string | null
  /** Since when the service no longer has it (ISO 8601); null if it still has it, as far as is known. */
  goneAt: string | null
  /** The service's failure, if the cached copy is shown because of it. */
  serviceFailure: Failure | null
}

/** The files that were opened in this session, by number. They stay open for the way back to the screen. */
const files = shallowReactive(new Map<string, { fileName: string; side: Side }>())

/** One of the two sides of a comparison. */
export type ComparedSide = ReturnType<typeof useSide>

/** Statuses that say of the deployment that it isn't there, or isn't for this account. */
const refusingStatuses: readonly (number | null)[] = [401, 403, 404]

type DeploymentRef = Exclude<SideRef, { kind: 'file' }>

type AnyDetail = DeploymentDetail & { serviceFailure?: ReadSide['serviceFailure'] }

/** Reads a side, and follows where its environment leads. */
export function useSide(wanted: () => SideRef | null) {
  const app = useAppStore()
  const drafts = useDraftsStore()
  const side = computed(wanted)
  const environment = computed(() =>
    side.value && side.value.kind !== 'file' ? app.environmentOf(side.value.environmentId) : null,
  )
  /** After an environment was edited or removed, its earlier data says nothing about where it leads now. */
  const key = computed(() =>
    JSON.stringify([side.value, environment.value && app.accountKeyOf(environment.value.id)]),
  )
  const deployment = useResource<ReadSide>(
    () => key.value,
    async (signal) => {
      const ref = side.value as DeploymentRef
      const outcome = await detailOf(ref, signal)
      if (!outcome.ok) return outcome
      const read = sideOf(outcome.value, ref)
      return read ? succeed(read) : unreadable
    },
  )

  function load(): void {
    deployment.reset()
    if (side.value?.kind === 'draft' && environment.value?.profile) drafts.open(side.value.environmentId)
    if (side.value?.kind === 'deployment' || side.value?.kind === 'earlier') void deployment.load()
  }
  watch(key, load, { flush: 'sync', immediate: true })

  /**
   * Reads a deployment: of the current environment from the service, of any other from the cache, and from there too if
   * the service fails. A service that refuses it doesn't fail.
   */
  async function detailOf(of: DeploymentRef, signal: AbortSignal): Promise<Outcome<AnyDetail>> {
    const { environmentId, id } = of
    if (!environment.value) return noEnvironment
    if (of.kind === 'earlier') {
      const request = { id, point: of.point }
      const earlier = await call('history.earlier', { environmentId, request }, { signal })
      if (!earlier.ok) return earlier
      return earlier.value ? succeed(earlier.value) : notStored
    }
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

  /** What the side leads to, or why it can't be shown; null while it is being read. */
  const found = computed((): Outcome<ReadSide> | null => {
    const ref = side.value
    if (!ref) return null
    if (ref.kind === 'file') {
      const file = files.get(ref.id)
      return file ? succeed({ ...plain, side: file.side, name: file.fileName, from: 'file' }) : noFile
    }
    if (ref.kind === 'draft') return draftOf(ref)
    const { value, failure: failed } = deployment
    return value.value ? succeed(value.value) : failed.value && fail(failed.value)
  })

  function draftOf({ environmentId, id }: DeploymentRef): Outcome<ReadSide> | null {
    if (!environment.value) return noEnvironment
    const form = drafts.forms.get(environmentId)
    if (!form) return noProfile
    const entry = form.drafts.find((one) => one.id === id)
    if (!entry) return form.loaded ? noDraft : null
    const { draft, number } = entry
    const read = readSide(requestOf(draft), { kind: 'request', environmentId })
    return read
      ? succeed({ ...plain, side: read, name: draftName(draft, number), from: 'draft' })
      : unreadable
  }

  const read = computed(() => (found.value?.ok ? found.value.value : null))
  const failure = computed(() => (found.value?.ok === false ? found.value.failure : null))
  return proxyRefs({
    wanted: side,
    /** The environment that it is of, if that still exists. */
    environment,
    read,
    /** Why it can't be read. */
    failure,
    /** Why it can't be read, or not from its service. */
    problem: computed(() => failure.value ?? read.value?.serviceFailure ?? null),
    loading: computed(() => side.value !== null && found.value === null),
    /** Reads a deployment again. */
    load,
  })
}

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
      from: kind === 'earlier' ? 'history' : detail.fromCache ? 'cache' : 'service',
      asOf: detail.fetchedAt,
      goneAt: detail.fromCache?.goneAt ?? null,
      serviceFailure: detail.serviceFailure ?? null,
    }
  )
}

const unreadable = fail(
  failure('unreadable-answer', "This deployment can't be compared: it is nested too deeply."),
)

const notFound = (message: string, advice: string) => fail(failure('not-found', message, { advice }))

const notStored = notFound(
  "What the deployment was at this point isn't kept.",
  'It was too large, or is older than the history is kept for. Choose a later point.',
)
const noEnvironment = notFound('This environment no longer exists.', 'Choose another deployment.')
const noProfile = notFound(
  "This environment's profile can't be read, so its drafts can't be, either.",
  'Unlock the keychain, then compare again.',
)
const noDraft = notFound('This draft no longer exists.', 'Choose another side.')
const noFile = notFound('This file is no longer open.', 'Open it again.')

/** Lets the operator choose a file with a request. Gives it as a side; null if they choose none. */
export async function openFile(): Promise<Outcome<SideRef | null>> {
  const opened = await call('requestFile.open', {})
  if (!opened.ok || !opened.value) return opened as Outcome<null>
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
  return succeed({ kind: 'file', id })
}

/** The option to choose a file. No side has this text. */
export const fileOption: SelectOption = { value: 'open-file', label: 'Open a file…' }

interface Offered {
  side: SideRef
  label: string
}

/**
 * The options for a side: the current choice, the deployments in the list and the selected ones, cached ones that
 * match the typed text, drafts, and open files. Each names its environment.
 */
export function useSideOptions(
  sides: readonly ComparedSide[],
  found: () => readonly FoundDeployment[],
): ComputedRef<SelectOption[]> {
  const app = useAppStore()
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
      ...sides.flatMap(chosen),
      ...rows.map((row) => deployment(current!, row)),
      ...found().map((one) => deployment(one.environmentId, one)),
      ...[...drafts.forms.values()].flatMap(({ environmentId, drafts: entries }) =>
        entries.map(({ id, number, draft }): Offered => ({
          side: { kind: 'draft', environmentId, id },
          label: `Draft ${inEnvironment(draftName(draft, number), environmentId)}`,
        })),
      ),
      ...[...files].map(([id, { fileName }]): Offered => ({
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
