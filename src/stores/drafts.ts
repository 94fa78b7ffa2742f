import {
  type CallInput,
  type CreateRequest,
  type Deployment,
  type DraftNotes,
  type DraftsKeeping,
  type DraftTemplate,
  type Environment,
  type EnvironmentDrafts,
  type EnvironmentMode,
  type Failure,
  failure,
  type FieldIssue,
  isNameTaken,
  type Repository,
  type Secret,
} from '@contract'
import { shownText } from '@contract/core/untrusted-text'
import { defineStore } from 'pinia'
import { reactive, shallowRef, toRaw, watch } from 'vue'
import { call, on } from '@/api'
import { announce } from '@/composables/announcer'
import { statusLook } from '@/format/deployment-status'
import { copiedDraft } from '@/domain/draft/copy-to-environment'
import { type Draft, draftName, emptyDraft } from '@/domain/draft/draft'
import { draftFromTemplate, draftOfContent, templateContent } from '@/domain/draft/persisted'
import { draftFromDeployment, draftFromRepository, type Prefilled } from '@/domain/draft/prefill'
import { copyJson, isWithin, type Path, pathKey, setValueAt, valueAt } from '@/domain/text/json-path'
import { useAppStore } from './app'
import { createDraftAutosave } from './draft-autosave'
import { type Created, type DraftEntry, type EnvironmentForm, hasText, isEmpty } from './draft-entry'
import { carryMarks, forgetMark, isUnmarked, withMarks } from './secret-marks'

/** What is said in the place of what cannot be done while a draft has a text that cannot be read. */
export const unreadWords = 'The request as text cannot be read: mend it or discard it first.'

/** How often and how long the status of a new deployment is asked for, in milliseconds. */
export const following = { everyMs: 1_500, forMs: 180_000 } as const

/**
 * The drafts of every environment. They stay while one looks at other screens or environments, and the main process
 * keeps them through restarts. Values of secrets are here as long as the page lives in which they were entered; after
 * that the main process has them, and here is a mark (contract: drafts). They are gone when the deployment is created
 * or the draft discarded. A text that cannot be read stays as long as the page lives.
 */
export const useDraftsStore = defineStore('new-deployment', () => {
  const app = useAppStore()
  const forms = reactive(new Map<string, EnvironmentForm>())
  const keeping = shallowRef<DraftsKeeping | null>(null)
  /** Environments whose drafts are being asked for, and whether there may be others since. */
  const loading = new Map<string, { outdated: boolean }>()
  let lastNumber = 0

  const isCurrent = (entry: DraftEntry): boolean =>
    forms.get(entry.environmentId)?.currentDraftId === entry.id
  /** A draft's name, which may be of any length, and that of its environment. */
  const nameOf = ({ draft, number, environmentId }: DraftEntry): string => {
    const environment = app.environments.find(({ id }) => id === environmentId)?.name ?? environmentId
    return `“${shownText(draftName(draft, number), { most: 60 })}” in ${environment}`
  }
  const draftKeeping = createDraftAutosave(isCurrent, nameOf, app.wayOf, (now) => {
    // It is told after every pause in typing, and seldom differs.
    if (JSON.stringify(now) !== JSON.stringify(keeping.value)) keeping.value = now
  })
  const { removed, tell, heard } = draftKeeping

  const isInForm = ({ environmentId, id }: DraftEntry): boolean =>
    forms.get(environmentId)?.drafts.some((entry) => entry.id === id) ?? false

  /** Notes that a draft has changed. One that is gone stays gone: what was under way about it may still end. */
  function changed(entry: DraftEntry): void {
    if (isInForm(entry)) draftKeeping.changed(entry)
  }

  function newEntry(environmentId: string, draft: Draft, notes: DraftNotes | null = null): DraftEntry {
    return {
      id: crypto.randomUUID(),
      environmentId,
      number: (lastNumber += 1),
      draft,
      unread: null,
      left: null,
      restored: false,
      revision: 0,
      notes,
      touched: new Set(),
      attempted: false,
      sending: false,
      sent: null,
      failure: null,
      issues: [],
    }
  }

  /** The form of an environment, with at least one draft. */
  function open(environmentId: string, mode: EnvironmentMode): EnvironmentForm {
    const known = forms.get(environmentId)
    if (known) {
      if (!known.loaded) void load(known)
      return known
    }
    const entry = newEntry(environmentId, emptyDraft(mode))
    forms.set(environmentId, {
      environmentId,
      drafts: [entry],
      currentDraftId: entry.id,
      templates: [],
      loaded: false,
      created: null,
    })
    const form = forms.get(environmentId)!
    void load(form)
    return form
  }

  /**
   * Asks for the drafts kept from before; once more where they turn up, or the environment changes, meanwhile: the
   * answer on its way may be without them.
   */
  async function load(form: EnvironmentForm): Promise<void> {
    const { environmentId } = form
    const underWay = loading.get(environmentId)
    if (underWay) {
      underWay.outdated = true
      return
    }
    const asked = { outdated: false }
    loading.set(environmentId, asked)
    const outcome = await call('drafts.list', { environmentId }, { quiet: true })
    loading.delete(environmentId)
    if (forms.get(environmentId) !== form) return
    if (outcome.ok) takeIn(form, outcome.value)
    const left = !outcome.ok && outcome.failure.code === 'environment-changed'
    form.loaded = !left
    if (asked.outdated || (left && app.currentEnvironmentId === environmentId)) await load(form)
  }

  /**
   * Takes in drafts kept from before. What is there already is newer, and what was discarded stays gone; an untouched
   * draft gives way.
   */
  function takeIn(
    form: EnvironmentForm,
    { drafts, currentId, templates, keeping: now }: EnvironmentDrafts,
  ): void {
    heard(now)
    form.templates = templates
    const restored = drafts
      .filter(({ id }) => !form.drafts.some((entry) => entry.id === id) && !draftKeeping.isLeaving(id))
      .map(({ id, content, notes, sentAt }) => ({
        ...newEntry(form.environmentId, draftOfContent(content), notes),
        id,
        restored: true,
        sent: sentAt === null ? null : { at: sentAt, revision: 0 },
      }))
    if (restored.length === 0) return
    const shown = currentDraft(form)
    form.drafts.unshift(...restored)
    if (!isEmpty(shown)) return
    form.currentDraftId = restored.find(({ id }) => id === currentId)?.id ?? restored.at(-1)!.id
    drop(form, shown)
  }

  function currentDraft(form: EnvironmentForm): DraftEntry {
    return form.drafts.find(({ id }) => id === form.currentDraftId) ?? form.drafts[0]!
  }

  /** Begins a draft in the current environment. One that was begun before stays beside it. */
  function begin(prefill: (mode: EnvironmentMode) => Prefilled): boolean {
    const { currentEnvironmentId, mode } = app
    if (currentEnvironmentId === null || mode === null) return false
    const form = open(currentEnvironmentId, mode)
    form.created = null
    add(form, prefill(mode))
    return true
  }

  /** Adds a draft and shows it; an untouched one that was shown gives way. */
  function add(form: EnvironmentForm, { draft, title, notes }: Prefilled): DraftEntry {
    const before = currentDraft(form)
    form.drafts.push(newEntry(form.environmentId, draft, notes.length > 0 ? { title, items: notes } : null))
    const entry = form.drafts.at(-1)!
    form.currentDraftId = entry.id
    if (isEmpty(before)) drop(form, before)
    changed(entry)
    return entry
  }

  /** Begins an empty draft; one that was begun before stays beside it. */
  const beginEmpty = (): boolean => begin((mode) => ({ draft: emptyDraft(mode), title: '', notes: [] }))

  const beginFromTemplate = (template: DraftTemplate): boolean => begin(() => draftFromTemplate(template))

  /** Shows a draft. */
  function choose(form: EnvironmentForm, id: string): void {
    form.currentDraftId = id
    changed(currentDraft(form))
  }

  /**
   * Begins a copy of a draft in another environment, whose mode must be known; `move` takes it away where it was, once
   * the copy is kept. It is checked there by that environment's rules. A value of a secret is taken along only with the
   * mark that binds it to what it was entered for. Gives whether all of that was done.
   */
  async function copyTo(
    form: EnvironmentForm,
    entry: DraftEntry,
    from: Environment,
    to: Environment,
    move: boolean,
  ): Promise<boolean> {
    if (!from.profile || !to.profile) return false
    const place = ({ name, profile }: Environment) => ({ name, mode: profile!.mode })
    const { revision } = entry
    const original = copyJson(toRaw(entry.draft))
    const own = original.entered.secrets
    if (entry.draft.entered.secrets.some(isUnmarked)) await draftKeeping.keep(entry)
    carryMarks(entry.draft.entered.secrets, own)
    const unbound = own.filter(isUnmarked)
    for (const secret of unbound) secret.value = ''
    const copy = copiedDraft(original, place(from), place(to))
    if (unbound.length > 0) copy.notes.unshift(notTakenAlong(unbound))
    const target = open(to.id, to.profile.mode)
    target.created = null
    const added = add(target, copy)
    carryMarks(own, added.draft.entered.secrets)
    const isKept = (await draftKeeping.keep(added)) && unbound.length === 0
    if (!move) return true
    // The main process forgets values of secrets that no draft has, and what it doesn't keep ends with Slipway. A text
    // beside the form isn't copied.
    if (isKept && entry.revision === revision && !hasText(entry) && !entry.sending && isInForm(entry)) {
      discard(form, entry, from.profile.mode)
      return true
    }
    added.notes?.items.unshift(`This draft is still in ${from.name} as well: it was copied, not moved.`)
    changed(added)
    return false
  }

  /** Keeps what a draft has as a template, without values of secrets. */
  async function saveTemplate(form: EnvironmentForm, name: string, draft: Draft): Promise<Failure | null> {
    return putTemplate(form, { id: crypto.randomUUID(), name, content: templateContent(draft) })
  }

  const renameTemplate = (
    form: EnvironmentForm,
    template: DraftTemplate,
    name: string,
  ): Promise<Failure | null> => putTemplate(form, { ...template, name })

  async function putTemplate(form: EnvironmentForm, template: DraftTemplate): Promise<Failure | null> {
    const { environmentId } = form
    const outcome = await call('drafts.saveTemplate', { environmentId, template }, { quiet: true })
    if (!outcome.ok) return outcome.failure
    heard(outcome.value)
    form.templates = form.templates.some(({ id }) => id === template.id)
      ? form.templates.map((other) => (other.id === template.id ? template : other))
      : [...form.templates, template]
    return null
  }

  async function removeTemplate(form: EnvironmentForm, { id }: DraftTemplate): Promise<Failure | null> {
    const { environmentId } = form
    const outcome = await call('drafts.removeTemplate', { environmentId, id }, { quiet: true })
    if (!outcome.ok) return outcome.failure
    form.templates = form.templates.filter((other) => other.id !== id)
    return null
  }

  /** Tries again to keep drafts on disk; gives null, or why it failed. */
  async function retryKeeping(): Promise<Failure | null> {
    const outcome = await call('drafts.retry', {})
    if (!outcome.ok) return outcome.failure
    heard(outcome.value)
    await draftKeeping.retry()
    return null
  }

  /** Begins a draft that was read from a file; false where no environment is ready for it. */
  const beginFromFile = (prefilled: Prefilled): boolean => begin(() => prefilled)

  /** Begins a draft that deploys a repository; false where no environment is ready for it. */
  const prefillFromRepository = (repository: Repository): boolean =>
    begin((mode) => draftFromRepository(repository, mode))

  /** Begins a draft of one more deployment like this; false where no environment is ready for it. */
  const prefillFromDeployment = (deployment: Deployment): boolean =>
    begin((mode) => draftFromDeployment(deployment, mode))

  function drop(form: EnvironmentForm, entry: DraftEntry): void {
    removed(entry)
    for (const secret of entry.draft.entered.secrets) secret.value = ''
    entry.unread = null
    entry.left = null
    form.drafts = form.drafts.filter(({ id }) => id !== entry.id)
    if (form.currentDraftId === entry.id) form.currentDraftId = form.drafts.at(-1)?.id ?? ''
  }

  /** Forgets a draft; the last one makes room for an empty one. */
  function discard(form: EnvironmentForm, entry: DraftEntry, mode: EnvironmentMode): void {
    drop(form, entry)
    if (form.drafts.length > 0) return
    const empty = newEntry(form.environmentId, emptyDraft(mode))
    form.drafts.push(empty)
    form.currentDraftId = empty.id
  }

  /** Fills in the member at `path`; undefined takes it away. */
  function set(entry: DraftEntry, path: Path, value: unknown): void {
    setValueAt(entry.draft.entered, path, value)
    const [member, index, part] = path
    const row =
      member === 'secrets' && part === 'value' ? entry.draft.entered.secrets[Number(index)] : undefined
    if (row) forgetMark(row)
    noteChange(entry, path)
  }

  /** Puts another draft in the place of an entry's, such as one that was edited as a text. */
  function replace(entry: DraftEntry, draft: Draft): void {
    const before = copyJson(toRaw(entry.draft.entered))
    const issues = entry.issues
    carryMarks(entry.draft.entered.secrets, draft.entered.secrets)
    entry.draft = draft
    noteChange(entry, [])
    entry.issues = issues.filter(
      ({ path }) => JSON.stringify(valueAt(before, path)) === JSON.stringify(valueAt(draft.entered, path)),
    )
  }

  /** Notes that the draft was changed at `path`: what the service said about it no longer holds. */
  function noteChange(entry: DraftEntry, path: Path): void {
    entry.revision += 1
    changed(entry)
    const issues = entry.issues.filter((issue) => !isWithin(issue.path, path) && !isWithin(path, issue.path))
    // Every field on the screen looks at the issues: they are replaced only when that changes something.
    if (issues.length < entry.issues.length) entry.issues = issues
  }

  function touch(entry: DraftEntry, path: Path): void {
    entry.touched.add(pathKey(path))
  }

  /** Notes that it was tried to create the draft: from now on everything wrong with it is shown. */
  function attempt(entry: DraftEntry): void {
    entry.attempted = true
  }

  /** Takes away what was said about what the draft was filled in from. */
  function dismissNotes(entry: DraftEntry): void {
    entry.notes = null
    changed(entry)
  }

  /**
   * Sends a request that was reviewed (interface: Create a deployment), once. After success the draft is gone, with
   * the values of its secrets, unless it has something that was not sent; after a failure it is as it was.
   *
   * @param confirmedName the environment's name as typed, where it is protected
   * @param again the unconfirmed attempt at the same name that the user was told about, if there is one, with the
   *   deployment that was shown as perhaps being it
   */
  async function create(
    form: EnvironmentForm,
    entry: DraftEntry,
    request: CreateRequest,
    mode: EnvironmentMode,
    confirmedName: string | null,
    again: CallInput<'deployments.create'>['again'] = null,
  ): Promise<boolean> {
    if (entry.sending) return false
    const sentBefore = entry.sent
    entry.sending = true
    const { revision } = entry
    entry.sent = { at: new Date().toISOString(), revision }
    entry.failure = null
    entry.issues = []
    const { environmentId } = form
    const place = app.placeOf(environmentId)
    // That it was sent is kept with it: should Slipway end now, its attempt is known to be its at the next start.
    changed(entry)
    tell()
    const outcome = await call('deployments.create', {
      environmentId,
      request: { ...request, secrets: withMarks(request.secrets, entry.draft.entered.secrets) },
      confirmedName,
      again,
    })
    entry.sending = false
    if (!outcome.ok) {
      if (outcome.failure.sent === 'no') {
        entry.sent = sentBefore
        changed(entry)
      }
      const { code, sent } = outcome.failure
      entry.failure = code === 'environment-changed' && sent !== 'no' ? leftOnTheWay : outcome.failure
      entry.issues = issuesOf(outcome.failure)
      return false
    }
    const { deployment } = outcome.value
    if (entry.revision === revision) takeForCreated(form, entry, mode, { deployment, found: false, place })
    else {
      keepUnsent(entry, deployment)
      show(form, { deployment, found: false, place })
    }
    return true
  }

  /** Keeps a draft of which a deployment was created, for what it has that was not sent. */
  function keepUnsent(entry: DraftEntry, { name }: Deployment): void {
    entry.sent = null
    entry.attempted = false
    entry.notes = notAllSent(name)
    changed(entry)
  }

  /**
   * Shows a created deployment in place of its draft, and follows its status. A draft with a text beside its form stays
   * for that: it was not sent.
   */
  function takeForCreated(
    form: EnvironmentForm,
    entry: DraftEntry,
    mode: EnvironmentMode,
    created: Omit<Created, 'following'>,
  ): void {
    if (hasText(entry)) keepUnsent(entry, created.deployment)
    else discard(form, entry, mode)
    show(form, created)
  }

  /** Says that a deployment was created, and follows its status. */
  function show(form: EnvironmentForm, created: Omit<Created, 'following'>): void {
    announce(`${created.deployment.name} was created.`)
    if (isFromBefore(form, created)) return
    form.created = { ...created, following: false }
    void follow(form)
  }

  /** Whether a deployment was created where its environment led before it was edited. */
  const isFromBefore = ({ environmentId }: EnvironmentForm, { place }: Pick<Created, 'place'>): boolean =>
    place !== app.placeOf(environmentId)

  /** Asks for the status of the new deployment until it has its database, as long as its environment is shown. */
  async function follow(form: EnvironmentForm): Promise<void> {
    const { created } = form
    if (!created || created.following) return
    created.following = true
    const { id } = created.deployment
    const end = Date.now() + following.forMs
    while (isAwaited(created) && Date.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, following.everyMs))
      if (form.created !== created || app.currentEnvironmentId !== form.environmentId) break
      const { environmentId } = form
      const outcome = await call('deployments.get', { environmentId, id }, { quiet: true })
      if (form.created !== created) break
      if (!outcome.ok) continue
      created.deployment = outcome.value.deployment
      if (!isAwaited(created)) tellStatus(created.deployment, environmentId)
    }
    created.following = false
  }

  /** Says that a new deployment has settled; the system says it too where the window is not looked at. */
  function tellStatus({ name, status }: Deployment, environmentId: string): void {
    const title = `${name} is ${statusLook(status).word.toLowerCase()}`
    announce(title)
    const body = app.environments.find(({ id }) => id === environmentId)?.name ?? ''
    void call('window.notify', { title, body }, { quiet: true })
  }

  // Drafts from before turn up once the keychain is unlocked.
  on('drafts.changed', (now) => {
    heard(now)
    if (now.kept === 'disk') for (const form of forms.values()) void load(form)
  })

  // What was created where an environment led before is nothing to where it leads now.
  watch(
    () => [...forms.values()].filter((form) => form.created !== null && isFromBefore(form, form.created)),
    (outdated) => {
      for (const form of outdated) form.created = null
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
    keeping,
    open,
    currentDraft,
    beginFromFile,
    prefillFromRepository,
    prefillFromDeployment,
    beginEmpty,
    beginFromTemplate,
    choose,
    copyTo,
    saveTemplate,
    renameTemplate,
    removeTemplate,
    retryKeeping,
    discard,
    set,
    replace,
    noteChange,
    touch,
    attempt,
    dismissNotes,
    create,
    takeForCreated,
    follow,
  }
})

/** What became of a request is not known here when another environment was chosen while it was on its way. */
const leftOnTheWay = failure('environment-changed', 'The environment was changed before the answer came.', {
  sent: 'maybe',
  advice: 'Activity shows what became of the request.',
})

/** Said of a draft that was changed while it was sent, or that has a text beside its form. */
const notAllSent = (name: string): DraftNotes => ({
  title: 'What was not sent:',
  items: [
    `“${shownText(name, { most: 60 })}” was created as you had reviewed it. This draft also has what you typed that was not sent: choose another name before you create it.`,
  ],
})

/** Said of secrets whose values could not be copied. */
const notTakenAlong = (secrets: readonly Secret[]): string =>
  `Secret values: not taken along (${secrets.map(({ name }) => name || 'unnamed').join(', ')}), since what they were ` +
  "entered for couldn't be noted. Enter them again."

const isAwaited = ({ deployment }: Created): boolean => deployment.status === 'AWAITING_DATABASE'

/** What a failure says about members of the request. A service's paths begin with where it read the request. */
function issuesOf(reason: Failure): FieldIssue[] {
  const { issues, serviceWords } = reason
  const places = ['body', 'request']
  const named = issues.map(({ path, message }) => ({
    path: places.includes(String(path[0])) ? path.slice(1) : path,
    message,
  }))
  if (isNameTaken(reason) && named.length === 0) {
    return [{ path: ['name'], message: serviceWords ?? 'The service says that this name is taken.' }]
  }
  return named
}
