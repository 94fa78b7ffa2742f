import {
  blockingAttempt,
  type CreationEntry,
  type Failure,
  foundIn,
  isCreatedLater as isCreatedLaterIn,
  isRecent,
  isUnconfirmed,
  type JournalEntry,
} from '@contract'
import { defineStore } from 'pinia'
import { computed, reactive, watch } from 'vue'
import { call } from '@/api'
import { announce } from '@/composables/announcer'
import { unconfirmedCreationText } from '@/format/unconfirmed-creation'
import { useActivityStore } from './activity'
import { useAppStore } from './app'
import { useCreationStore } from './creation'
import { useDraftsStore } from './drafts'
import type { DraftEntry, EnvironmentForm } from './draft-entry'

/** Whether it was found out since the page was loaded: right after a start it may be known before anyone asks. */
const isNews = ({ lookup }: CreationEntry): boolean =>
  lookup !== null && Date.parse(lookup.at) >= performance.timeOrigin

/** So many notices are open at first at most; how many more there are is said beside them. */
export const openAtFirst = 3

/**
 * So long after it could not be read what an attempt created, it is asked for again at the earliest, in milliseconds;
 * each time twice as long, up to the longest: the failure itself comes with the journal's next event.
 */
export const adoptingAgain = { firstMs: 5_000, mostMs: 600_000 } as const

const isCreation = (entry: JournalEntry): entry is CreationEntry => entry.kind === 'creation'

/**
 * Creations whose answer was lost, as the journal has them: those of which it is not known what became, and those that
 * were unclear in this session and are settled now, until their notice is closed. A draft that turns out to have been
 * created is taken for created.
 */
export const useUnconfirmedCreationsStore = defineStore('lost-answers', () => {
  const app = useAppStore()
  const activity = useActivityStore()
  const drafts = useDraftsStore()
  const creation = useCreationStore()
  /** Attempts that were unclear in this session, with what was last said about them. */
  const unclear = reactive(new Map<string, string>())
  const closed = reactive(new Set<string>())
  /** Attempts that began in this session. */
  const begun = new Set<string>()
  /** Attempts that stand in the way of what was to be sent. */
  const recalled = reactive(new Set<string>())
  /** Which attempt does, by environment and name: it may be another environment's, for which this one then looks. */
  const inTheWay = reactive(new Map<string, string>())
  const looking = reactive(new Set<string>())
  /** Why what the user asked for last about an attempt in an environment was not done, and what was known of it then. */
  const failures = reactive(new Map<string, { failure: Failure; known: string }>())
  const adopting = new Set<string>()
  /** Attempts whose deployment could not be read: when it is asked for again, on the clock of `performance`. */
  const adoptLater = new Map<string, { at: number; pauseMs: number }>()

  const creations = computed(() => activity.entries.filter(isCreation))
  /** The same, in the order in which they began, as the journal has it. */
  const inOrder = computed(() => [...creations.value].reverse())

  const isOwn = ({ environmentId }: CreationEntry): boolean => environmentId === app.currentEnvironmentId

  const attempts = computed(() => creations.value.filter(isOwn))

  const placeOf = (name: string): string => JSON.stringify([app.currentEnvironmentId, name])

  /** The attempts of the current environment, and those of others that stand in its way. */
  const concerned = computed(() =>
    creations.value.filter((entry) => isOwn(entry) || inTheWay.get(placeOf(entry.name)) === entry.id),
  )

  /** Whether an attempt is told about by itself: one of this session, or looked for in it, is, whatever its clock said. */
  const isToldOf = (entry: CreationEntry): boolean =>
    recalled.has(entry.id) || begun.has(entry.id) || isNews(entry) || isRecent(entry, [])

  /** The attempts that there is something to tell about in the current environment, newest first. */
  const told = computed(() =>
    concerned.value.filter(
      (entry) =>
        !closed.has(entry.id) &&
        (entry.state === 'unclear'
          ? isToldOf(entry)
          : entry.state !== 'refused' && (unclear.has(entry.id) || recalled.has(entry.id) || isNews(entry))),
    ),
  )

  /**
   * The attempts to tell about beside what can be sent from here: first the one that stands in the way of its name, then
   * others of that name and those that stood in the way of another, then the newest.
   *
   * @param draftName the name of what can be sent, if anything can
   */
  function shownBeside(draftName: string | null): CreationEntry[] {
    const blocking = draftName === null ? null : unclearAt(draftName)
    const rank = ({ id, name }: CreationEntry): number => {
      if (id === blocking?.id) return 0
      return name === draftName ? 1 : recalled.has(id) ? 2 : 3
    }
    return [...told.value].sort((one, other) => rank(one) - rank(other))
  }

  /**
   * The attempt that stands in the way of sending a name in the current environment again without consent; before all
   * one that is not known to have been sent elsewhere.
   */
  const unclearAt = (name: string): CreationEntry | null => {
    const all = [...concerned.value].reverse()
    const here = all.filter(({ lookFailure }) => lookFailure?.code !== 'other-service')
    return blockingAttempt(here, name, inOrder.value) ?? blockingAttempt(all, name, inOrder.value)
  }

  /** An attempt as it is known now. */
  const attemptOf = (id: string): CreationEntry | null => concerned.value.find((one) => one.id === id) ?? null

  /** Whether a later attempt at the same name and service is known to have created it. */
  const isCreatedLater = (entry: CreationEntry): boolean => isCreatedLaterIn(entry, inOrder.value)

  /** Whether a notice about an attempt at this name says what a failure would say, which names another environment. */
  const tellsOf = (name: string, { code, message }: Failure): boolean =>
    shownBeside(name)
      .slice(0, openAtFirst)
      .some(
        (entry) =>
          entry.name === name &&
          isUnconfirmed(entry) &&
          (code === 'attempt-changed' ||
            (code === 'attempt-unclear' && isOwn(entry)) ||
            entry.failure?.message === message),
      )

  /**
   * Shows what is unclear about a name again, also where its notice was closed or the journal is long.
   *
   * @param attemptId the attempt that is in the way, which may be of another environment
   */
  async function recall(name: string, attemptId: string | null = null): Promise<void> {
    if (attemptId !== null) inTheWay.set(placeOf(name), attemptId)
    await activity.loadOlder(name)
    for (const entry of concerned.value) {
      if (entry.name !== name) continue
      closed.delete(entry.id)
      if (isUnconfirmed(entry)) recalled.add(entry.id)
    }
  }

  const failureKey = (environmentId: string | null, id: string): string => JSON.stringify([environmentId, id])
  const knownOf = (id: string): string => {
    const entry = attemptOf(id)
    return JSON.stringify([entry?.lookup, entry?.lookFailure])
  }

  function noteFailure(environmentId: string, id: string, failure: Failure): void {
    failures.set(failureKey(environmentId, id), { failure, known: knownOf(id) })
    announce(failure.message)
  }

  /**
   * Why what the user asked for last about an attempt was not done; null where it was, where another environment was
   * asked, and once more is known of the attempt.
   */
  function failureOf({ id }: CreationEntry): Failure | null {
    const noted = failures.get(failureKey(app.currentEnvironmentId, id))
    return noted?.known === knownOf(id) ? noted.failure : null
  }

  /** Looks in the list for the deployment of an attempt. */
  async function look({ id }: CreationEntry): Promise<void> {
    const environmentId = app.currentEnvironmentId
    if (environmentId === null || looking.has(id)) return
    looking.add(id)
    failures.delete(failureKey(environmentId, id))
    const outcome = await call('deployments.look', { environmentId, attemptId: id })
    looking.delete(id)
    // The journal's event says the rest; a look that changed nothing is heard of as well.
    if (outcome.ok) announce(unconfirmedCreationText(outcome.value).title)
    else noteFailure(environmentId, id, outcome.failure)
  }

  /** Takes a deployment that was found for the one that an attempt created. */
  async function claim({ id }: CreationEntry, deploymentId: string): Promise<void> {
    const environmentId = app.currentEnvironmentId
    if (environmentId === null || looking.has(id)) return
    looking.add(id)
    failures.delete(failureKey(environmentId, id))
    const outcome = await call('deployments.claim', { environmentId, attemptId: id, deploymentId })
    looking.delete(id)
    // The journal's event says the rest.
    if (!outcome.ok) noteFailure(environmentId, id, outcome.failure)
  }

  /** Takes a notice away; what is still unclear is shown again after the next start. */
  function close({ id }: CreationEntry): void {
    closed.add(id)
  }

  /** Says what has changed about attempts that were unclear. */
  function follow(entry: CreationEntry): void {
    if (entry.state === 'sending') begun.add(entry.id)
    const said = unclear.get(entry.id)
    if (entry.state !== 'unclear' && said === undefined) return
    const { title } = unconfirmedCreationText(entry)
    unclear.set(entry.id, title)
    if (said === undefined || said === title) return
    announce(title)
    if (entry.state === 'created') void call('window.notify', { title, body: entry.environmentName })
  }

  /** The draft that an attempt sent, where it has not been changed since. */
  function draftOf({ environmentId, name, startedAt }: CreationEntry): [EnvironmentForm, DraftEntry] | null {
    const form = drafts.forms.get(environmentId)
    /** Whether it is the first attempt at the name since then: later ones sent another draft. */
    const isFirstSince = (at: string): boolean =>
      at <= startedAt &&
      !attempts.value.some((one) => one.name === name && one.startedAt >= at && one.startedAt < startedAt)
    const draft = form?.drafts.find(
      ({ draft: { entered }, sent, revision, sending }) =>
        !sending && entered.name === name && sent?.revision === revision && isFirstSince(sent.at),
    )
    return form && draft ? [form, draft] : null
  }

  /** Shows what an attempt created in place of its draft. */
  async function adopt(entry: CreationEntry): Promise<void> {
    const { id, environmentId, deploymentId } = entry
    const sent = draftOf(entry)
    if (entry.state !== 'created' || deploymentId === null || !sent || adopting.has(id)) return
    const later = adoptLater.get(id)
    if (later && performance.now() < later.at) return
    adopting.add(id)
    const accountKey = app.accountKeyOf(environmentId)
    const outcome = await call('deployments.get', { environmentId, id: deploymentId }, { quiet: true })
    adopting.delete(id)
    if (!outcome.ok) {
      // Its environment was left, which says nothing of its service.
      if (outcome.failure.code === 'environment-changed') return
      const pauseMs = Math.min(later ? 2 * later.pauseMs : adoptingAgain.firstMs, adoptingAgain.mostMs)
      adoptLater.set(id, { at: performance.now() + pauseMs, pauseMs })
      return
    }
    const [form, draft] = draftOf(entry) ?? []
    if (!form || !draft || app.mode === null) return
    const { deployment } = outcome.value
    creation.completeDraft(form, draft, app.mode, { deployment, found: entry.lookup !== null, accountKey })
    // What else was created by the same click is told until its notice is closed.
    if (entry.lookup === null || foundIn(entry.lookup).length < 2) closed.add(id)
  }

  watch(
    attempts,
    (now) => {
      for (const entry of now) {
        follow(entry)
        void adopt(entry)
      }
    },
    { immediate: true },
  )

  // A draft may turn up, or be answered with a failure, after it is known what became of its attempt.
  watch(
    () =>
      drafts.forms
        .get(app.currentEnvironmentId ?? '')
        ?.drafts.map(({ id, sending }) => [id, sending].join())
        .join(),
    () => {
      for (const entry of attempts.value) void adopt(entry)
    },
  )

  return {
    shownBeside,
    looking,
    failureOf,
    load: activity.load,
    unclearAt,
    attemptOf,
    isCreatedLater,
    tellsOf,
    recall,
    look,
    claim,
    close,
  }
})
