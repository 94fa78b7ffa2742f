import {
  blockingAttempt,
  type CreationEntry,
  type Failure,
  foundIn,
  isCreatedLater as isCreatedLaterIn,
  isNameTaken,
  isRecent,
  isUnconfirmed,
  type JournalEntry,
} from '@contract'
import { defineStore } from 'pinia'
import { computed, reactive, watch } from 'vue'
import { call } from '@/app/api'
import { announce } from '@/app/window'
import { unconfirmedCreationText } from './unconfirmed-creation'
import { useActivityStore } from '@/features/activity/activity'
import { useAppStore } from '@/app/stores/app'
import { useCreationStore } from '../creation'
import { useDraftsStore } from '../drafts'
import type { DraftEntry } from '../draft-entry'

/** Whether the result was found since the page was loaded, which can be right after a start. */
const isNew = ({ lookup }: CreationEntry): boolean =>
  lookup !== null && Date.parse(lookup.at) >= performance.timeOrigin

/** How many notices are open at first, at most. */
export const openAtFirst = 3

const isCreation = (entry: JournalEntry): entry is CreationEntry => entry.kind === 'creation'

/**
 * Unconfirmed creations, from the journal: attempts whose result is unknown, and those that were settled in this
 * session, until their notice is closed. A draft whose deployment is found is completed.
 */
export const useUnconfirmedCreationsStore = defineStore('unconfirmed-creations', () => {
  const app = useAppStore()
  const activity = useActivityStore()
  const drafts = useDraftsStore()
  const creation = useCreationStore()
  /** Attempts that were unconfirmed in this session, with the title that was last announced. */
  const announced = reactive(new Map<string, string>())
  /** Attempts whose notice was closed, or opened again since they block a name. */
  const chosen = reactive(new Map<string, 'closed' | 'open'>())
  const isReopened = ({ id }: CreationEntry): boolean => chosen.get(id) === 'open'
  /** The attempt that blocks a name, by environment and name. It may be another environment's. */
  const blocking = reactive(new Map<string, string>())
  const adopting = new Set<string>()

  const creations = computed(() => activity.entries.filter(isCreation))
  /** The same, oldest first, in the order of the journal. */
  const inOrder = computed(() => [...creations.value].reverse())

  const isOwn = ({ environmentId }: CreationEntry): boolean => environmentId === app.currentEnvironmentId

  const attempts = computed(() => creations.value.filter(isOwn))

  const nameKey = (name: string): string => JSON.stringify([app.currentEnvironmentId, name])

  /** The attempts of the current environment, and those of others that block it. */
  const relevant = computed(() =>
    creations.value.filter((entry) => isOwn(entry) || blocking.get(nameKey(entry.name)) === entry.id),
  )

  /** The attempts with a notice in the current environment, newest first. */
  const notices = computed(() =>
    relevant.value.filter(
      (entry) =>
        chosen.get(entry.id) !== 'closed' &&
        (entry.state === 'unconfirmed'
          ? isReopened(entry) || isRecent(entry)
          : entry.state === 'created' && (announced.has(entry.id) || isReopened(entry) || isNew(entry))),
    ),
  )

  /**
   * The notices to show beside a draft: first the attempt that blocks its name, then others of that name, then those
   * that block another name, then the newest.
   *
   * @param draftName null where no draft is beside the notices
   */
  function noticesFor(draftName: string | null): CreationEntry[] {
    const rank = rankFor(draftName)
    return [...notices.value].sort((one, other) => rank(one) - rank(other))
  }

  /** Whether a notice is about a name: its attempt has it, blocks it, or was shown again because it did. */
  const isAbout = (entry: CreationEntry, name: string): boolean => rankFor(name)(entry) < 3

  function rankFor(name: string | null): (entry: CreationEntry) => number {
    const first = name === null ? null : blockingFor(name)
    return (entry) => {
      if (entry.id === first?.id) return 0
      return entry.name === name ? 1 : isReopened(entry) ? 2 : 3
    }
  }

  /**
   * The attempt that blocks sending a name in the current environment without consent. One that may have been sent to
   * this service comes before those that were sent to another.
   */
  const blockingFor = (name: string): CreationEntry | null => {
    const all = [...relevant.value].reverse()
    const here = all.filter(({ lookFailure }) => lookFailure?.code !== 'other-service')
    return blockingAttempt(here, name) ?? blockingAttempt(all, name)
  }

  /** The current state of an attempt. */
  const attemptOf = (id: string): CreationEntry | null => relevant.value.find((one) => one.id === id) ?? null

  /** Whether a later attempt at the same name and service is known to have created it. */
  const isCreatedLater = (entry: CreationEntry): boolean => isCreatedLaterIn(entry, inOrder.value)

  /**
   * Whether an open notice about this name already says what a failure says. That a name is taken is said beside the
   * form as well, in the service's words.
   */
  const covers = (name: string, failure: Failure): boolean =>
    !isNameTaken(failure) &&
    noticesFor(name)
      .slice(0, openAtFirst)
      .some(
        (entry) =>
          entry.name === name &&
          isUnconfirmed(entry) &&
          (failure.code === 'attempt-changed' ||
            (failure.code === 'attempt-unconfirmed' && isOwn(entry)) ||
            entry.failure?.message === failure.message),
      )

  /**
   * Shows the notices about a name again, also where they were closed or are far back in the journal.
   *
   * @param attemptId the attempt that blocks the name, which may be another environment's
   */
  async function reopen(name: string, attemptId: string | null = null): Promise<void> {
    if (attemptId !== null) blocking.set(nameKey(name), attemptId)
    await activity.loadOlder(name)
    for (const entry of relevant.value) {
      if (entry.name !== name) continue
      if (isUnconfirmed(entry)) chosen.set(entry.id, 'open')
      else chosen.delete(entry.id)
    }
  }

  /** Closes a notice. If the attempt is still unconfirmed, the next start shows it again. */
  function close({ id }: CreationEntry): void {
    chosen.set(id, 'closed')
  }

  /** Announces a change of an attempt that was unconfirmed. */
  function announceChange(entry: CreationEntry): void {
    const before = announced.get(entry.id)
    if (entry.state !== 'unconfirmed' && before === undefined) return
    const { title } = unconfirmedCreationText(entry)
    announced.set(entry.id, title)
    if (before === undefined || before === title) return
    announce(title)
    if (entry.state === 'created') void call('window.notify', { title, body: entry.environmentName })
  }

  /** The draft that an attempt sent, if it has not changed since. */
  function draftOf({ environmentId, name, startedAt }: CreationEntry): DraftEntry | undefined {
    /** Whether it is the first attempt at the name since then: a later one sent another draft. */
    const isFirstSince = (at: string): boolean =>
      at <= startedAt &&
      !attempts.value.some((one) => one.name === name && one.startedAt >= at && one.startedAt < startedAt)
    return drafts.forms
      .get(environmentId)
      ?.drafts.find(
        ({ draft: { entered }, sent, revision, sending }) =>
          !sending && entered.name === name && sent?.revision === revision && isFirstSince(sent.at),
      )
  }

  /**
   * Shows the deployment that an attempt created, in place of its draft. Does nothing unless the environment is known
   * to lead to the service that the attempt was sent to, and that service gives a deployment of the attempt's name.
   */
  async function adopt(entry: CreationEntry): Promise<void> {
    const { id, environmentId, deploymentId } = entry
    const sent = draftOf(entry)
    if (entry.state !== 'created' || deploymentId === null || !sent || adopting.has(id)) return
    // Another service may have another deployment under this identifier.
    if (!activity.isAtService(entry) || sent.failure?.code === 'other-service') return
    adopting.add(id)
    const accountKey = app.accountKeyOf(environmentId)
    const outcome = await call('deployments.get', { environmentId, id: deploymentId }, { quiet: true })
    adopting.delete(id)
    if (!activity.isAtService(entry) || !outcome.ok || outcome.value.deployment.name !== entry.name) return
    const draft = draftOf(entry)
    if (!draft) return
    const { deployment } = outcome.value
    creation.completeDraft(drafts.forms.get(environmentId)!, draft, {
      deployment,
      found: entry.lookup !== null,
      accountKey,
    })
    // If the same click created more than one, the notice stays until it is closed.
    if (entry.lookup === null || foundIn(entry.lookup).length < 2) close(entry)
  }

  /** The drafts here: one can be loaded, or its call can fail, after the result of its attempt is known. */
  const draftsHere = (): string | undefined =>
    drafts.forms
      .get(app.currentEnvironmentId ?? '')
      ?.drafts.map(({ id, sending }) => [id, sending].join())
      .join()

  watch(
    [attempts, draftsHere],
    () => {
      for (const entry of attempts.value) {
        announceChange(entry)
        void adopt(entry)
      }
    },
    { immediate: true },
  )

  return {
    noticesFor,
    isAbout,
    load: activity.load,
    blockingFor,
    attemptOf,
    isCreatedLater,
    covers,
    reopen,
    close,
  }
})
