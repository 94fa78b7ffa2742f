import type { CreateRequest, EnvironmentMode, FieldIssue, Finding, Source } from '@contract'
import { trimBlanks } from '@contract/core/text'
import { useTimeoutFn } from '@vueuse/core'
import { computed, shallowRef, type ShallowRef, toRaw, watch, inject, type InjectionKey, provide } from 'vue'
import { call } from '@/app/api'
import { afterClick } from '@/ui/form/field'
import { whenIdle } from '@/app/window'
import { changeSource, isSent, requestOf, textAt as textWithoutBlanks } from './draft/draft'
import { type FieldName, fields, placeInForm, type Suggestions } from './draft/fields'
import { check, firstMessages, isError } from './draft/validate'
import { isJsonObject, isSame, isWithin, type Path, pathKey, valueAt } from '@/ui/format/json-path'
import { useSyncStore } from '@/app/stores/sync'
import { type DraftEntry, unreadTextError } from './draft-entry'
import { useDraftsStore } from './drafts'
import { useSourcesStore } from '@/features/repositories/sources'

/**
 * How long typing must pause before the draft is checked again and its name is looked up, in milliseconds. Longer than
 * between most keystrokes, so that a check rarely delays one.
 */
const pauseMs = 300

/** After this time, in milliseconds, the draft is checked even if the page is busy. */
const timeoutMs = 500

/** The fields of a draft, its request, and what prevents sending it. */
export function useDraftForm(entry: DraftEntry, mode: EnvironmentMode) {
  const store = useDraftsStore()
  const { request, findings, now, settle } = useChecked(entry, mode)
  const nameFinding = useNameCheck(() => trimBlanks(entry.draft.entered.name), entry.environmentId)
  const { suggestions, chooseIntegration } = useSuggestions(entry)
  const { opensAtEmpty } = entry
  entry.opensAtEmpty = false

  const at = (path: Path): unknown => valueAt(entry.draft.entered, path)
  const errors = computed(() => findings.value.filter(isError))
  /** Whether the field of a finding was visited, or an attempt was made to create. */
  const isShown = ({ path }: Finding): boolean =>
    entry.attempts > 0 || path.some((_part, index) => entry.touched.has(pathKey(path.slice(0, index + 1))))
  /** What isn't an error, first what the cache says about the name. */
  const warnings = computed(() =>
    [nameFinding.value ?? [], findings.value.filter((finding) => !isError(finding))].flat(),
  )

  /** Removing the last member of the resource spec removes it too, except for external images, which need one. */
  function set(path: Path, value: unknown): void {
    if (isSame(path, ['source'])) {
      changeSource(entry.draft, value as Source)
      return store.noteChange(entry, path)
    }
    store.set(entry, path, value)
    const { path: specPath } = fields.resource_spec
    if (value !== undefined || entry.draft.entered.source === 'external_docker' || !isWithin(path, specPath))
      return
    const spec = at(specPath)
    if (isJsonObject(spec) && Object.keys(spec).length === 0) store.set(entry, specPath, undefined)
  }

  function touch(path: Path): void {
    const value = at(path)
    const text = typeof value === 'string' ? textWithoutBlanks(path, value) : value
    if (text !== value) store.set(entry, path, text)
    settle()
    entry.touched.add(pathKey(path))
  }

  return {
    request,
    warnings,
    /** Checks the draft at once. */
    now,
    /** Whether the form opens at the first empty field that is required. It does once. */
    opensAtEmpty,
    /** Notes an attempt to create the deployment. From now on every error is shown. */
    attempt: () => (entry.attempts += 1),
    /** Enters the integration if only one is known, unless the operator may have left it empty on purpose. */
    chooseIntegration,
    /** What prevents creating, in the order of the form. */
    obstacles: computed((): FieldIssue[] => [
      ...(entry.unread ? [{ path: [], message: unreadTextError }] : []),
      ...[...errors.value].sort((one, other) => placeInForm(one.path) - placeInForm(other.path)),
    ]),
    form: provideForm({
      attempts: () => entry.attempts,
      valueAt: at,
      set,
      touch,
      // First what the service said.
      errors: () => [...(entry.failure?.issues ?? []), ...errors.value.filter(isShown)],
      warnings: () => warnings.value.filter(isShown),
      suggestions,
    }),
  }
}

/**
 * Checks the draft shortly after each change. The findings and the request are computed in separate steps, so that a
 * keystroke waits for one of them at most. Findings wait while a pointer is pressed, because their messages could move
 * what is clicked.
 */
function useChecked(entry: DraftEntry, mode: EnvironmentMode) {
  // Without Vue's proxies, which would track every member. `requestOf` makes a copy.
  const requestNow = (): CreateRequest => requestOf(toRaw(entry.draft))
  const findingsNow = (): Finding[] => check(toRaw(entry.draft), mode)
  const request = shallowRef(requestNow())
  const findings = shallowRef(findingsNow())
  let checked = entry.revision

  /** Updates the findings, so that a field that loses the focus early doesn't show outdated ones. */
  function settle(): void {
    if (checked === entry.revision) return
    checked = entry.revision
    const found = findingsNow()
    // Every field of the form depends on them, so they change only if they differ.
    if (JSON.stringify(found) !== JSON.stringify(findings.value)) findings.value = found
  }

  function now() {
    settle()
    request.value = requestNow()
    return { request: request.value, findings: findings.value }
  }

  // A change calls off what the last one is waiting for: it would delay a keystroke.
  watch(
    () => entry.revision,
    (_now, _before, onCleanup) => {
      let cancel = (): void => undefined
      const timer = setTimeout(() => {
        cancel = whenIdle(() => {
          cancel = whenIdle(() => (request.value = requestNow()), timeoutMs)
          afterClick(settle)
        }, timeoutMs)
      }, pauseMs)
      onCleanup(() => {
        clearTimeout(timer)
        cancel()
      })
    },
  )
  return { request, findings, now, settle }
}

const takenName: Finding = {
  level: 'required',
  path: ['name'],
  message: 'A deployment with this name is in the cache. Choose another name.',
}

/** Warns if a cached deployment of the environment has the name, which services then refuse. */
function useNameCheck(name: () => string, environmentId: string): ShallowRef<Finding | null> {
  const sync = useSyncStore()
  const found = shallowRef<Finding | null>(null)
  const lookUp = useTimeoutFn(
    async (wanted: string) => {
      const query = { name: wanted, sort: { by: 'created_at' as const, descending: true } }
      const request = { query, offset: 0, limit: 50, snapshot: null }
      const outcome = await call('cache.page', { environmentId, request })
      if (wanted !== name() || !outcome.ok) return
      found.value = outcome.value.deployments.some(({ gone_at }) => gone_at === null) ? takenName : null
    },
    pauseMs,
    { immediate: false },
  )
  watch(name, () => (found.value = null))
  // The cache may have got it only now.
  watch([name, () => sync.ended], ([now]) => (now === '' ? lookUp.stop() : lookUp.start(now)), {
    immediate: true,
  })
  return found
}

/** What the fields suggest: what is known of the environment, and values of other deployments. */
function useSuggestions(entry: DraftEntry): { suggestions: FormSuggestions; chooseIntegration: () => void } {
  const drafts = useDraftsStore()
  const sources = useSourcesStore()

  const textAt = (name: FieldName): string => {
    const value = valueAt(entry.draft.entered, fields[name].path)
    return typeof value === 'string' ? value : ''
  }

  function chooseIntegration(): void {
    const { path } = fields.integration_id
    const [only, ...others] = sources.integrations
    if (only === undefined || others.length > 0 || !isSent(entry.draft, 'integration_id')) return
    if (textAt('integration_id') === '' && !entry.touched.has(pathKey(path))) drafts.set(entry, path, only)
  }

  const suggestions: FormSuggestions = {
    nameOf: sources.integrationName,
    valuesOf(kind) {
      if (kind === 'integrations') return sources.integrations
      if (kind === 'repositories') return sources.repositoryUrls(textAt('integration_id'))
      if (kind === 'refs') return sources.refs(textAt('integration_id'), textAt('repo_url'))
      if (kind === 'config paths') return [sources.configPath(textAt('repo_url')) ?? []].flat()
      return kind === 'listeners' ? sources.listenerIds() : sources.namespaces(textAt('listener_id'))
    },
    read(kind) {
      if (kind === 'config paths') return void sources.readConfigPath(textAt('repo_url'))
      if (kind === 'listeners' || kind === 'namespaces') return void sources.readListeners()
      if (kind === 'integrations') void sources.readChoices()
      else chooseIntegration()
      void sources.list(textAt('integration_id'))
    },
  }
  return { suggestions, chooseIntegration }
}

/** The accessible name of a field of the form. */
const nameOf = (field: HTMLElement): string =>
  field.closest('.field')?.querySelector('[id$="-label"]')?.textContent.trim() ?? ''

/**
 * Focuses the invalid field with a label in an element, otherwise the first invalid one.
 *
 * @param label the field's label, from `fieldLabel`
 */
export function focusInvalid(place: HTMLElement | null | undefined, label: string | null = null): void {
  const invalid = [...(place?.querySelectorAll<HTMLElement>('[aria-invalid="true"]') ?? [])]
  focus(invalid.find((field) => nameOf(field) === label) ?? invalid[0])
}

/**
 * Focuses the next of some text fields: the first after `from`, otherwise the first one that isn't `from`.
 *
 * @param labels the fields' labels, from `fieldLabel`
 * @param from the field to continue from; null for the first one
 * @returns whether there is such a field
 */
export function focusNext(
  place: HTMLElement | null,
  labels: readonly string[],
  from: HTMLElement | null,
): boolean {
  const others = [...(place?.querySelectorAll<HTMLElement>('input, textarea') ?? [])].filter(
    (field) => field !== from && labels.includes(nameOf(field)),
  )
  const isAfter = (field: HTMLElement): boolean =>
    ((from?.compareDocumentPosition(field) ?? 0) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0
  const next = others.find(isAfter) ?? others[0]
  focus(next)
  return next !== undefined
}

function focus(field: HTMLElement | undefined): void {
  field?.focus()
  field?.scrollIntoView({ block: 'nearest' })
}

/** What a form gives its fields. */
interface FormSource {
  /** The value entered at a path; undefined if there is none. */
  valueAt: (path: Path) => unknown
  /** Sets the member at a path; undefined removes it. */
  set: (path: Path, value: unknown) => void
  /** Marks a field as visited, so that its errors are shown. */
  touch: (path: Path) => void
  /** The number of attempts to send it. Each opens closed sections that have errors. */
  attempts: () => number
  /** The errors and warnings to show, each path's first one first. */
  errors: () => readonly FieldIssue[]
  warnings: () => readonly FieldIssue[]
  /** Missing where no field suggests values. */
  suggestions?: FormSuggestions
}

/** The values that fields suggest. */
export interface FormSuggestions {
  valuesOf: (kind: Suggestions) => readonly string[]
  /** Reads what a field suggests, once it has the focus. */
  read: (kind: Suggestions) => void
  /** What an integration is called; null if it has no name. */
  nameOf: (integration: string) => string | null
}

type FormContext = ReturnType<typeof provideForm>

const key: InjectionKey<FormContext> = Symbol('form context')

/** Gives the fields inside a component its form. */
export function provideForm(source: FormSource) {
  const errors = computed(source.errors)
  const firstErrors = computed(() => firstMessages(errors.value))
  const firstWarnings = computed(() => firstMessages(source.warnings()))
  const context = {
    ...source,
    /** The error at a path or inside it. */
    errorAt: (path: Path): string | null => firstErrors.value.get(pathKey(path)) ?? null,
    /** The error of the member itself, without those inside it. */
    errorOf: (path: Path): string | null =>
      errors.value.find((error) => isSame(error.path, path))?.message ?? null,
    /** The warning at a path or inside it. */
    warningAt: (path: Path): string | null => firstWarnings.value.get(pathKey(path)) ?? null,
    /** The number of errors at a path and inside it. */
    errorCount: (path: Path): number => errors.value.filter((error) => isWithin(error.path, path)).length,
  }
  provide(key, context)
  return context
}

/** The form that a field is in. */
export const useForm = (): FormContext => inject(key)!
