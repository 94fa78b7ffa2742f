import {
  type CreateRequest,
  type Deployment,
  type EnvironmentMode,
  type Failure,
  type FieldIssue,
  type Repository,
} from '@contract'
import { defineStore } from 'pinia'
import { reactive, watch } from 'vue'
import { call } from '@/api'
import { announce } from '@/components/announce'
import { type Draft, emptyDraft, isUntouched } from '@/screens/new-deployment/model/draft'
import {
  draftFromDeployment,
  draftFromRepository,
  type Prefilled,
} from '@/screens/new-deployment/model/prefill'
import { isWithin, type Path, pathKey, setValueAt } from '@/screens/new-deployment/model/tree'
import { useAppStore } from './app'

/** A draft with what the form knows about it. */
export interface DraftEntry {
  id: number
  draft: Draft
  /** Grows with every change, so that a change is noticed without comparing the whole draft. */
  revision: number
  /** What could not be taken along from what the draft was filled in from. */
  notes: string[]
  /** Fields that have been visited, by path: only of these, errors are shown before the first attempt. */
  touched: Set<string>
  /** Whether it was attempted to create it, from when on every error is shown. */
  attempted: boolean
  sending: boolean
  failure: Failure | null
  /** What the service said about members of the request; one goes when its field is changed. */
  issues: FieldIssue[]
}

/** A deployment that was just created. */
export interface Created {
  deployment: Deployment
  /** Whether its status is still asked for. */
  following: boolean
}

/** What the form shows in one environment, and never in another. */
export interface EnvironmentForm {
  environmentId: string
  drafts: DraftEntry[]
  currentDraftId: number
  created: Created | null
}

/** How often and how long the status of a new deployment is asked for, in milliseconds. */
export const following = { everyMs: 1_500, forMs: 180_000 } as const

/**
 * The drafts of every environment. They stay while one looks at other screens or environments; the values of
 * secrets are nowhere else, and are gone when the deployment is created or the draft discarded.
 */
export const useNewDeploymentStore = defineStore('new-deployment', () => {
  const app = useAppStore()
  const forms = reactive(new Map<string, EnvironmentForm>())
  let lastId = 0

  function newEntry({ draft, notes }: Prefilled): DraftEntry {
    return {
      id: (lastId += 1),
      draft,
      revision: 0,
      notes,
      touched: new Set(),
      attempted: false,
      sending: false,
      failure: null,
      issues: [],
    }
  }

  /** The form of an environment, with at least one draft. */
  function open(environmentId: string, mode: EnvironmentMode): EnvironmentForm {
    const known = forms.get(environmentId)
    if (known) return known
    const entry = newEntry({ draft: emptyDraft(mode), notes: [] })
    forms.set(environmentId, { environmentId, drafts: [entry], currentDraftId: entry.id, created: null })
    return forms.get(environmentId)!
  }

  function currentDraft(form: EnvironmentForm): DraftEntry {
    return form.drafts.find(({ id }) => id === form.currentDraftId) ?? form.drafts[0]!
  }

  /** Begins a draft in the current environment. One that was begun before stays beside it. */
  function begin(prefill: (mode: EnvironmentMode) => Prefilled): boolean {
    const { currentEnvironmentId, mode } = app
    if (currentEnvironmentId === null || mode === null) return false
    const form = open(currentEnvironmentId, mode)
    const entry = newEntry(prefill(mode))
    const before = currentDraft(form)
    form.drafts.push(entry)
    form.currentDraftId = entry.id
    form.created = null
    if (isUntouched(before.draft)) drop(form, before)
    return true
  }

  /** Begins a draft that deploys a repository; false where no environment is ready for it. */
  const prefillFromRepository = (repository: Repository): boolean =>
    begin((mode) => draftFromRepository(repository, mode))

  /** Begins a draft of one more deployment like this; false where no environment is ready for it. */
  const prefillFromDeployment = (deployment: Deployment): boolean =>
    begin((mode) => draftFromDeployment(deployment, mode))

  function drop(form: EnvironmentForm, entry: DraftEntry): void {
    for (const secret of entry.draft.entered.secrets) secret.value = ''
    form.drafts = form.drafts.filter(({ id }) => id !== entry.id)
    if (form.currentDraftId === entry.id) form.currentDraftId = form.drafts.at(-1)?.id ?? 0
  }

  /** Forgets a draft; the last one makes room for an empty one. */
  function discard(form: EnvironmentForm, entry: DraftEntry, mode: EnvironmentMode): void {
    drop(form, entry)
    if (form.drafts.length > 0) return
    const empty = newEntry({ draft: emptyDraft(mode), notes: [] })
    form.drafts.push(empty)
    form.currentDraftId = empty.id
  }

  /** Fills in the member at `path`; undefined takes it away. */
  function set(entry: DraftEntry, path: Path, value: unknown): void {
    setValueAt(entry.draft.entered, path, value)
    noteChange(entry, path)
  }

  /** Notes that the draft was changed at `path`: what the service said about it no longer holds. */
  function noteChange(entry: DraftEntry, path: Path): void {
    entry.revision += 1
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
    entry.notes = []
  }

  /**
   * Sends a request that was reviewed (interface: Create a deployment), once. After success the draft is gone, with
   * the values of its secrets; after a failure it is as it was.
   *
   * @param confirmedName the environment's name as typed, where it is protected
   */
  async function create(
    form: EnvironmentForm,
    entry: DraftEntry,
    request: CreateRequest,
    mode: EnvironmentMode,
    confirmedName: string | null,
  ): Promise<boolean> {
    if (entry.sending) return false
    entry.sending = true
    entry.failure = null
    entry.issues = []
    const { environmentId } = form
    const outcome = await call('deployments.create', { environmentId, request, confirmedName })
    entry.sending = false
    if (!outcome.ok) {
      entry.failure = outcome.failure
      entry.issues = issuesOf(outcome.failure)
      return false
    }
    form.created = { deployment: outcome.value.deployment, following: false }
    discard(form, entry, mode)
    void follow(form)
    return true
  }

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
      if (!outcome.ok) continue
      created.deployment = outcome.value.deployment
      if (!isAwaited(created)) announce(`${created.deployment.name} is ${created.deployment.status}`)
    }
    created.following = false
  }

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
    open,
    currentDraft,
    prefillFromRepository,
    prefillFromDeployment,
    discard,
    set,
    noteChange,
    touch,
    attempt,
    dismissNotes,
    create,
    follow,
  }
})

const isAwaited = ({ deployment }: Created): boolean => deployment.status === 'AWAITING_DATABASE'

/** What a failure says about members of the request. A service's paths begin with where it read the request. */
function issuesOf({ code, issues, serviceWords }: Failure): FieldIssue[] {
  const places = ['body', 'request']
  const named = issues.map(({ path, message }) => ({
    path: places.includes(String(path[0])) ? path.slice(1) : path,
    message,
  }))
  if (code === 'conflict' && named.length === 0) {
    return [{ path: ['name'], message: serviceWords ?? 'The service says that this name is taken.' }]
  }
  return named
}
