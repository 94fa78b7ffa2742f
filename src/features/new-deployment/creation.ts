import {
  type CallInput,
  type CreateRequest,
  type Deployment,
  type Failure,
  failure,
  type FieldIssue,
  isNameTaken,
} from '@contract'
import { shownText } from '@contract/core/text'
import { isUnsettled } from '@contract/deployment-api/statuses'
import { defineStore } from 'pinia'
import { call } from '@/app/api'
import { announce } from '@/app/window'
import { issuesInText } from './draft/validate'
import { statusLook } from '@/ui/format/deployment'
import { useAppStore } from '@/app/stores/app'
import { type Created, type DraftEntry, type EnvironmentForm, hasText } from './draft-entry'
import { useDraftsStore } from './drafts'

/** How often and for how long the status of a new deployment is read, in milliseconds. */
export const statusPolling = { everyMs: 1_500, forMs: 180_000 } as const

/** Sends drafts, and shows the created deployments until their status has settled. */
export const useCreationStore = defineStore('creation', () => {
  const app = useAppStore()
  const drafts = useDraftsStore()

  /**
   * Sends a reviewed request (interface: Create a deployment), once. On success the draft is removed with the values of
   * its secrets, unless it has something that was not sent. On failure it stays as it is.
   *
   * @param confirmedName the environment's name as typed, where it is protected
   * @param again the unconfirmed attempt at the same name that the operator has seen, if there is one, with the
   *   deployment that was shown as a possible result of it
   * @returns whether the deployment was created
   */
  async function create(
    form: EnvironmentForm,
    entry: DraftEntry,
    request: CreateRequest,
    confirmedName: string | null,
    again: CallInput<'deployments.create'>['again'] = null,
  ): Promise<boolean> {
    if (entry.sending) return false
    const sentBefore = entry.sent
    entry.sending = true
    const { revision } = entry
    entry.sent = { at: new Date().toISOString(), revision }
    entry.failure = null
    const { environmentId } = form
    const accountKey = app.accountKeyOf(environmentId)
    // Saved with the time of sending, so that the next start finds the draft of this attempt even if Slipway ends now.
    drafts.scheduleSave(entry)
    void drafts.flushSaves()
    const input = { environmentId, request, confirmedName, again }
    // Only the main process knows whether a cancelled request has left.
    const outcome = await call('deployments.create', input, { waitForAnswer: true })
    entry.sending = false
    if (!outcome.ok) {
      if (outcome.failure.sent === 'no') {
        entry.sent = sentBefore
        drafts.scheduleSave(entry)
      }
      const { code, sent } = outcome.failure
      const isUnseen = code === 'environment-changed' && sent !== 'no'
      entry.failure = isUnseen ? unseenAnswer : { ...outcome.failure, issues: issuesOf(outcome.failure) }
      return false
    }
    const { deployment } = outcome.value
    completeDraft(form, entry, { deployment, found: false, accountKey }, entry.revision === revision)
    return true
  }

  /**
   * Shows a created deployment in place of its draft, and follows its status. A draft with a text beside its form, or
   * that was changed since, stays: that was not sent.
   */
  function completeDraft(
    form: EnvironmentForm,
    entry: DraftEntry,
    created: Created,
    isUnchanged = true,
  ): void {
    if (isUnchanged && !hasText(entry)) drafts.discard(form, entry)
    else {
      const { name } = created.deployment
      const advice = entry.draft.entered.name === name ? ': choose another name before you create it' : ''
      const note = `"${shownText(name, { max: 60 })}" was created as you had reviewed it. This draft also has what you typed that was not sent${advice}.`
      entry.sent = null
      entry.attempts = 0
      entry.notes = { title: 'Not sent:', items: [note] }
      drafts.scheduleSave(entry)
    }
    announce(`${created.deployment.name} was created.`)
    // The environment has been edited since, so that it leads to another service or account.
    if (created.accountKey !== app.accountKeyOf(form.environmentId)) return
    form.created = created
    void followStatus(form)
  }

  /** Reads the status of the new deployment until it has settled, while its environment is shown. */
  async function followStatus(form: EnvironmentForm): Promise<void> {
    const { created } = form
    if (!created || created.following) return
    created.following = true
    const { id } = created.deployment
    const end = Date.now() + statusPolling.forMs
    while (isUnsettled(created.deployment.status) && Date.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, statusPolling.everyMs))
      if (form.created !== created || app.currentEnvironmentId !== form.environmentId) break
      const { environmentId } = form
      const outcome = await call('deployments.status', { environmentId, id })
      if (form.created !== created) break
      if (!outcome.ok) continue
      created.deployment = { ...created.deployment, status: outcome.value.status }
      if (!isUnsettled(outcome.value.status)) announceStatus(created.deployment, environmentId)
    }
    created.following = false
  }

  /** Announces that a new deployment has settled; without the focus, also by a system notification. */
  function announceStatus({ name, status }: Deployment, environmentId: string): void {
    const title = `${name} is ${statusLook(status).label.toLowerCase()}`
    announce(title)
    const body = app.environmentOf(environmentId)?.name ?? ''
    void call('window.notify', { title, body })
  }

  return { create, completeDraft, followStatus }
})

/** Shown where another environment was chosen while the request was on its way: its answer was dropped. */
const unseenAnswer = failure('environment-changed', 'The environment was changed before the answer came.', {
  sent: 'maybe',
  advice: 'Activity shows what became of the request.',
})

/**
 * The members of the request that a failure complains about. A service's paths begin with where it read the request.
 */
function issuesOf(reason: Failure): FieldIssue[] {
  const { issues, serviceWords } = reason
  const roots = ['body', 'request']
  const named = issues.map(({ path, message }) => ({
    path: roots.includes(String(path[0])) ? path.slice(1) : path,
    message,
  }))
  if (named.length > 0) return named
  if (isNameTaken(reason))
    return [{ path: ['name'], message: serviceWords ?? 'The service says that this name is taken.' }]
  return reason.code === 'bad-request' ? issuesInText(serviceWords ?? '') : []
}
