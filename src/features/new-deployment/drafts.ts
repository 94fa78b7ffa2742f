import {
  type Deployment,
  type DraftNotes,
  type Environment,
  type EnvironmentDrafts,
  type EnvironmentMode,
  type Failure,
  isSecretMark,
  type Repository,
  type Secret,
} from '@contract'
import { shownText } from '@contract/core/text'
import { defineStore } from 'pinia'
import { reactive, toRaw, watch } from 'vue'
import { call, on } from '@/app/api'
import { type Draft, draftName, draftOfContent, emptyDraft, type EnteredRequest } from './draft/draft'
import {
  clonedTo,
  copiedDraft,
  type CopyEnd,
  draftFromDeployment,
  draftFromRepository,
  type Prefilled,
} from './draft/prefill'
import { copyJson, isWithin, type Path, setValueAt, valueAt } from '@/ui/format/json-path'
import { useAppStore } from '@/app/stores/app'
import { createDraftAutosave } from './draft-autosave'
import { createDraftEntry, type DraftEntry, type EnvironmentForm, hasText, isEmpty } from './draft-entry'

/**
 * The drafts of every environment. They stay while the operator looks at other screens or environments, and the main
 * process saves them. The page has a secret's value only if it was entered since the page was loaded; otherwise it has
 * a mark (contract: drafts). A draft is removed when it is discarded or its deployment is created.
 */
export const useDraftsStore = defineStore('drafts', () => {
  const app = useAppStore()
  const forms = reactive(new Map<string, EnvironmentForm>())
  let lastNumber = 0

  const isCurrent = (entry: DraftEntry): boolean =>
    forms.get(entry.environmentId)?.currentDraftId === entry.id
  /** A draft's name, shortened, and that of its environment. */
  const nameOf = ({ draft, number, environmentId }: DraftEntry): string => {
    const environment = app.environmentOf(environmentId)?.name ?? environmentId
    return `"${shownText(draftName(draft, number), { max: 60 })}" in ${environment}`
  }
  const autosave = createDraftAutosave(isCurrent, nameOf)

  const newEntry = (environmentId: string, draft: Draft, notes: DraftNotes | null = null): DraftEntry =>
    createDraftEntry(environmentId, (lastNumber += 1), draft, notes)
  const newEmptyEntry = (environmentId: string): DraftEntry =>
    newEntry(environmentId, emptyDraft(app.environmentOf(environmentId)?.profile?.mode ?? 'cloud'))

  /** The form of an environment, with at least one draft. */
  function open(environmentId: string): EnvironmentForm {
    if (!forms.has(environmentId)) {
      const entry = newEmptyEntry(environmentId)
      forms.set(environmentId, {
        environmentId,
        drafts: [entry],
        currentDraftId: entry.id,
        templates: [],
        loaded: false,
        created: null,
      })
    }
    const form = forms.get(environmentId)!
    if (!form.loaded) void load(form)
    return form
  }

  /** Reads the saved drafts, and reads them again if the answer was dropped: the environment was changed meanwhile. */
  async function load(form: EnvironmentForm): Promise<void> {
    const { environmentId } = form
    const outcome = await call('drafts.list', { environmentId })
    if (forms.get(environmentId) !== form) return
    if (outcome.ok) merge(form, outcome.value)
    const isDropped = !outcome.ok && outcome.failure.code === 'environment-changed'
    form.loaded ||= !isDropped
    if (isDropped && app.currentEnvironmentId === environmentId) await load(form)
  }

  /** Adds saved drafts. Those here are newer, discarded ones stay gone, and an empty one gives way. */
  function merge(form: EnvironmentForm, saved: EnvironmentDrafts): void {
    autosave.setPersistence(saved.persistence)
    form.templates = saved.templates
    const restored = saved.drafts
      .filter(({ id }) => !form.drafts.some((entry) => entry.id === id) && !autosave.isDiscarded(id))
      .map(({ id, content, notes, sentAt }) => ({
        ...newEntry(form.environmentId, draftOfContent(content), notes),
        id,
        savedRevision: 0,
        sent: sentAt === null ? null : { at: sentAt, revision: 0 },
      }))
    if (restored.length === 0) return
    const shown = currentDraft(form)
    form.drafts.unshift(...restored)
    if (!isEmpty(shown)) return
    form.currentDraftId = restored.find(({ id }) => id === saved.currentId)?.id ?? restored.at(-1)!.id
    drop(form, shown)
  }

  function currentDraft(form: EnvironmentForm): DraftEntry {
    return form.drafts.find(({ id }) => id === form.currentDraftId) ?? form.drafts[0]!
  }

  /**
   * Begins a draft in the current environment, beside the others.
   *
   * @param opensAtEmpty whether its form opens at the first required field that is empty
   * @returns false where the environment's mode is unknown
   */
  function begin(prefill: (mode: EnvironmentMode) => Prefilled, opensAtEmpty = false): boolean {
    const { currentEnvironmentId, mode } = app
    if (currentEnvironmentId === null || mode === null) return false
    add(open(currentEnvironmentId), prefill(mode)).opensAtEmpty = opensAtEmpty
    return true
  }

  /** Adds a draft and shows it. An empty one that was shown gives way, and what was said of the last creation. */
  function add(form: EnvironmentForm, { draft, title, notes }: Prefilled): DraftEntry {
    const before = currentDraft(form)
    form.created = null
    form.drafts.push(newEntry(form.environmentId, draft, notes.length > 0 ? { title, items: notes } : null))
    const entry = form.drafts.at(-1)!
    form.currentDraftId = entry.id
    if (isEmpty(before)) drop(form, before)
    autosave.schedule(entry)
    return entry
  }

  const beginEmpty = (): boolean => begin((mode) => ({ draft: emptyDraft(mode), title: '', notes: [] }))
  const beginFromRepository = (repository: Repository): boolean =>
    begin((mode) => draftFromRepository(repository, mode), true)
  const beginFromDeployment = (deployment: Deployment): boolean =>
    begin((mode) => draftFromDeployment(deployment, mode))

  /**
   * Begins a draft in another environment that is filled in from a deployment of the current one.
   *
   * @returns false where nothing can be created, or the mode of one of the two is unknown
   */
  function beginElsewhere(deployment: Deployment, to: Environment): boolean {
    const { environment: from } = app
    if (!from?.profile || !to.profile || to.profile.readOnly) return false
    // Where both lead to the same service, it has a deployment of that name.
    const name = from.profile.baseUrl === to.profile.baseUrl ? '' : deployment.name
    add(open(to.id), clonedTo(deployment, name, endOf(from, from.profile.mode), endOf(to, to.profile.mode)))
    return true
  }

  /** Shows a draft. */
  function choose(form: EnvironmentForm, id: string): void {
    form.currentDraftId = id
    autosave.schedule(currentDraft(form))
  }

  /**
   * Copies a draft to another environment, whose rules check it there. Of a secret's value only the mark is copied,
   * which binds it to what it was entered for.
   *
   * @param to its mode must be known
   * @param move whether the original goes once the copy is saved
   * @returns false where the original had to stay although it was to be moved
   */
  async function copyTo(
    form: EnvironmentForm,
    entry: DraftEntry,
    to: Environment,
    move: boolean,
  ): Promise<boolean> {
    const from = app.environmentOf(form.environmentId)
    if (!from?.profile || !to.profile) return false
    const { revision } = entry
    const original = copyJson(toRaw(entry.draft))
    const { secrets } = original.entered
    const hasMarks = !secrets.some(hasValue) || (await autosave.save(entry))
    const saved = await savedSecrets(entry)
    original.entered.secrets = secrets.map((secret, index) =>
      hasValue(secret) ? { ...secret, value: markOf(secret, saved[index]) } : secret,
    )
    const copy = copiedDraft(original, endOf(from, from.profile.mode), endOf(to, to.profile.mode))
    const added = add(open(to.id), copy)
    const isSaved = (await autosave.save(added)) && hasMarks
    if (!move) return true
    // The main process deletes values of secrets that no draft has, and what it has not saved ends with Slipway. A text
    // beside the form isn't copied.
    if (isSaved && entry.revision === revision && !hasText(entry) && !entry.sending) {
      discard(form, entry)
      return true
    }
    added.notes?.items.unshift(`This draft is still in ${from.name} as well: it was copied, not moved.`)
    autosave.schedule(added)
    return false
  }

  /** Tries again to save drafts on disk; gives null, or why it failed. */
  async function retrySaving(): Promise<Failure | null> {
    const outcome = await call('drafts.retry', {})
    if (!outcome.ok) return outcome.failure
    autosave.setPersistence(outcome.value)
    await autosave.flush()
    return null
  }

  /** Takes a draft out of its form, and its secrets out of memory. */
  function drop(form: EnvironmentForm, entry: DraftEntry): void {
    autosave.discard(entry)
    for (const secret of entry.draft.entered.secrets) secret.value = ''
    entry.unread = null
    entry.left = null
    form.drafts = form.drafts.filter(({ id }) => id !== entry.id)
    if (form.currentDraftId === entry.id) form.currentDraftId = form.drafts.at(-1)?.id ?? ''
  }

  /** Discards a draft. If it was the last one, an empty draft replaces it. */
  function discard(form: EnvironmentForm, entry: DraftEntry): void {
    drop(form, entry)
    if (form.drafts.length > 0) return
    const empty = newEmptyEntry(form.environmentId)
    form.drafts.push(empty)
    form.currentDraftId = empty.id
  }

  /** Sets the member at `path`; undefined removes it. */
  function set(entry: DraftEntry, path: Path, value: unknown): void {
    setValueAt(entry.draft.entered, path, value)
    noteChange(entry, path)
  }

  /** Replaces an entry's draft, such as by one that was edited as a text. */
  function replace(entry: DraftEntry, draft: Draft): void {
    const before = entry.draft.entered
    entry.draft = draft
    const textOf = (entered: EnteredRequest, path: Path) => JSON.stringify(valueAt(entered, path))
    change(entry, (path) => textOf(before, path) !== textOf(draft.entered, path))
  }

  /** Notes a change at `path`. */
  function noteChange(entry: DraftEntry, path: Path): void {
    change(entry, (other) => isWithin(other, path) || isWithin(path, other))
  }

  /** Counts a change. What the service said about the members that changed no longer holds. */
  function change(entry: DraftEntry, isChanged: (path: Path) => boolean): void {
    entry.revision += 1
    autosave.schedule(entry)
    const { failure } = entry
    const issues = failure?.issues.filter(({ path }) => !isChanged(path)) ?? []
    // Every field on the screen watches them, so they are replaced only where they differ.
    if (failure && issues.length < failure.issues.length) entry.failure = { ...failure, issues }
  }

  function dismissNotes(entry: DraftEntry): void {
    entry.notes = null
    autosave.schedule(entry)
  }

  // More drafts turn up once the keychain is unlocked.
  on('drafts.changed', (now) => {
    autosave.setPersistence(now)
    if (now.storage === 'disk') for (const form of forms.values()) void load(form)
  })

  /** The secrets of a draft as the main process has saved them: with marks in place of values. */
  async function savedSecrets({ environmentId, id }: DraftEntry): Promise<readonly Secret[]> {
    const outcome = await call('drafts.list', { environmentId })
    const saved = outcome.ok ? outcome.value.drafts.find((draft) => draft.id === id) : undefined
    return saved?.content.entered.secrets ?? []
  }

  /** Has a draft forget the values of its secrets, and takes the marks of those that were saved before. */
  async function forgetValues(entry: DraftEntry): Promise<void> {
    const { entered } = entry.draft
    const values = entered.secrets.filter(hasValue)
    if (values.length === 0) return
    for (const secret of values) secret.value = ''
    const saved = await savedSecrets(entry)
    for (const secret of values) {
      if (secret.value === '') secret.value = markOf(secret, saved[entered.secrets.indexOf(secret)])
    }
    // Only now: without its marks, a saved draft would lose the values for good.
    noteChange(entry, ['secrets'])
  }

  // An environment leads elsewhere, where nothing was created. A secret goes only where it was entered for: the main
  // process has bound the marks to that.
  watch(
    () => [...forms.keys()].map(app.accountKeyOf),
    (_now, before) => {
      for (const form of forms.values()) {
        if (before.includes(app.accountKeyOf(form.environmentId))) continue
        form.created = null
        for (const entry of form.drafts) {
          void forgetValues(entry)
          // The operator decides whether it still holds.
          const text = entry.unread ?? entry.left
          entry.left = text && { ...text, isFromBefore: true }
          entry.unread = null
        }
      }
    },
    { flush: 'sync' },
  )

  // The drafts of an environment that was removed go with it.
  watch(
    () => app.environments.map(({ id }) => id),
    (ids) => {
      if (ids.length === 0) return
      for (const form of [...forms.values()]) {
        if (ids.includes(form.environmentId)) continue
        for (const entry of [...form.drafts]) drop(form, entry)
        forms.delete(form.environmentId)
      }
    },
  )

  return {
    forms,
    persistence: autosave.persistence,
    open,
    load,
    currentDraft,
    beginEmpty,
    begin,
    beginFromRepository,
    beginFromDeployment,
    beginElsewhere,
    choose,
    copyTo,
    scheduleSave: autosave.schedule,
    flushSaves: autosave.flush,
    retrySaving,
    discard,
    set,
    replace,
    noteChange,
    dismissNotes,
  }
})

/** Whether a secret has a value that was entered here, and not only its mark. */
const hasValue = ({ value }: Secret): boolean => value !== '' && !isSecretMark(value)

/** The mark of a secret's value, from the secret as it is saved; empty if its value isn't. */
const markOf = ({ name }: Secret, saved: Secret | undefined): string =>
  saved?.name === name && isSecretMark(saved.value) ? saved.value : ''

const endOf = ({ name }: Environment, mode: EnvironmentMode): CopyEnd => ({ name, mode })
