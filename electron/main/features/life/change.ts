import {
  type Answers,
  type ChangeEntry,
  deploymentsPath,
  fail,
  type Failure,
  failure,
  type Outcome,
  type ParsedCallInput,
  succeed,
  withoutSecretValues,
} from '@contract'
import type { Change } from '@contract/life/changes'
import type { HeldDeployment } from '../../processes/answers/life'
import { operationOf } from '@contract/life/rules'
import type { Revision } from '@contract/life/revisions'
import { sleep } from '../../async'
import type { Environments } from '../../environments'
import {
  accountIdentity,
  askService,
  ensureUnchanged,
  readyEnvironment,
  type ReadyEnvironment,
  whyNotAllowed,
} from '../../environments/known'
import type { HttpClient, HttpTarget } from '../../http/client'
import { readAnswer } from '../../processes/answers'
import { type Journal, JournalError, shownChange, type StoredChange } from '../../stored/journal'
import { has } from '../deployments/attempts'
import { isRefusal } from '../deployments/creation'
import { noSuchDeployment, queryForId } from '../deployments/list'
import type { OffersReader } from './offers'
import { type Plan, plan } from './plan'
import { isMissing, notOffered, readRevisionPage } from './revisions'

/** What changes of deployments work with. */
export interface ChangeContext {
  environments: Environments
  http: HttpClient
  offers: OffersReader
  journal: Pick<Journal, 'beginChange' | 'endChange' | 'entries'>
}

/** How many revisions are read to find one by its identifier, or one that was just made. */
const revisionsRead = 100

/** The waits before the service is asked what came of a lost answer, in milliseconds. */
const lookedUpAfterMs = [500, 3_000] as const

/** Changes of deployments: reviewed against what the service says, and sent once. */
export function createChanges({
  environments,
  http,
  offers,
  journal,
}: ChangeContext): Pick<Answers<'life'>, 'life.review' | 'life.change' | 'life.lookUp'> {
  /** The deployments that are being changed: a second press changes nothing. */
  const busy = new Set<string>()

  async function prepare(
    target: HttpTarget,
    id: string,
    change: Change,
    signal: AbortSignal,
  ): Promise<Outcome<Plan>> {
    const offered = await offers.of(target, id, signal)
    if (!offered.ok) return offered
    const { operations } = offered.value
    if (!operations.includes(operationOf(change.kind, operations))) return fail(notOffered)
    const held = await readHeldDeployment(http, target, id, signal)
    if (!held.ok) return held
    if (held.value === null) return fail(noSuchDeployment)
    const revision = 'revisionId' in change ? await readRevision(target, id, change.revisionId, signal) : null
    if (revision && !revision.ok) return revision
    return plan(change, held.value, revision?.value ?? null, offered.value)
  }

  async function readRevision(
    target: HttpTarget,
    id: string,
    revisionId: string,
    signal: AbortSignal,
  ): Promise<Outcome<Revision>> {
    const page = await readRevisionPage(http, target, { id, limit: revisionsRead, offset: 0 }, signal)
    if (!page.ok) return page
    const found = page.value.revisions.find((one) => one.id === revisionId)
    return found ? succeed(found) : fail(noSuchRevision)
  }

  /** Sends a planned change, and closes its entry. After the body has left, nothing cancels it. */
  async function send(
    environment: ReadyEnvironment,
    { change, id }: ParsedCallInput<'life.change'>,
    { request, review, operation }: Plan,
    signal: AbortSignal,
  ): Promise<Outcome<ChangeEntry>> {
    const { before } = review
    const unchanged = await ensureUnchanged(environments, environment, signal)
    if (!unchanged.ok) return unchanged
    const entryId = await journal.beginChange(
      {
        environmentId: environment.id,
        environmentName: environment.name,
        account: accountIdentity(environment.target),
      },
      {
        action: change.kind,
        deploymentId: id,
        name: before.name,
        sent: { change: withoutValues(change), latestRevisionId: before.latest_revision_id },
      },
    )
    const answer = await http.request({ target: environment.target, ...request, signal })
    const reason = answer.ok ? null : answer.failure
    if (reason === null || isGoodStatus(reason)) await journal.endChange(entryId, { state: 'done' })
    else if (isRefusal(reason)) {
      if (isMissing(reason)) offers.without(environment.target, operation, reason)
      await journal.endChange(entryId, { state: 'refused', failure: reason })
      return fail(reason)
    } else {
      await journal.endChange(entryId, { state: 'unconfirmed', failure: unconfirmed(reason) })
      for (const waitMs of lookedUpAfterMs) {
        await sleep(waitMs)
        if (await settle(await entryOf(entryId), environment.target)) break
      }
    }
    const entry = await entryOf(entryId)
    // A service that answered 409 refused it, if it doesn't show the change.
    if (entry.state === 'unconfirmed' && entry.failure?.status === 409) {
      await journal.endChange(entryId, { state: 'refused', failure: reason! })
      return fail(reason!)
    }
    return succeed(shownChange(entry))
  }

  async function entryOf(entryId: string): Promise<StoredChange> {
    const found = (await journal.entries()).find((one) => one.id === entryId)
    if (found?.kind !== 'change') throw new Error('The entry of a change is missing.')
    return found
  }

  /** Settles an unconfirmed change if the service shows it. Gives whether it is settled. */
  async function settle(
    { id, deploymentId, sent, state }: StoredChange,
    target: HttpTarget,
  ): Promise<boolean> {
    if (state !== 'unconfirmed' || sent === null) return true
    const signal = AbortSignal.timeout(20_000)
    const isShown = await shows(http, target, deploymentId, sent, signal)
    if (isShown) await journal.endChange(id, { state: 'done' })
    return isShown
  }

  return {
    'life.review': ({ environmentId, id, change }, signal) =>
      askService(environments, environmentId, signal, async (target) => {
        const planned = await prepare(target, id, change, signal)
        return planned.ok ? succeed(planned.value.review) : planned
      }),

    async 'life.change'(input, signal) {
      const { environmentId, id, change, seen, confirmedName, deploymentName } = input
      const ready = await readyEnvironment(environments, environmentId, signal)
      if (!ready.ok) return ready
      const environment = ready.value
      const reason = whyNotAllowed(environment, confirmedName)
      if (reason) return fail(reason)
      const key = JSON.stringify([environmentId, id])
      if (busy.has(key)) return fail(alreadyUnderWay)
      busy.add(key)
      try {
        const planned = await prepare(environment.target, id, change, signal)
        if (!planned.ok) return planned
        const { review } = planned.value
        if (review.seen !== seen) return fail(movedOn)
        if (change.kind === 'delete' && deploymentName !== review.before.name) return fail(nameWanted)
        return await send(environment, input, planned.value, signal)
      } catch (error) {
        if (error instanceof JournalError) return fail(error.failure('nothing was sent'))
        throw error
      } finally {
        busy.delete(key)
      }
    },

    async 'life.lookUp'({ environmentId, entryId }, signal) {
      const ready = await readyEnvironment(environments, environmentId, signal)
      if (!ready.ok) return ready
      const found = (await journal.entries()).find((one) => one.id === entryId)
      if (found?.kind !== 'change') return fail(noSuchEntry)
      const { target } = ready.value
      if (found.environmentId !== environmentId || found.account !== accountIdentity(target)) {
        return fail(sentElsewhere)
      }
      await settle(found, target)
      return succeed(shownChange(await entryOf(entryId)))
    },
  }
}

/** Reads a deployment with what only the main process may know. Null if the service doesn't have it. */
async function readHeldDeployment(
  http: HttpClient,
  target: HttpTarget,
  id: string,
  signal: AbortSignal,
): Promise<Outcome<HeldDeployment | null>> {
  const query = queryForId(id)
  const answer = await http.request({ target, method: 'GET', path: deploymentsPath, query, signal })
  return answer.ok ? await readAnswer(answer.value, { kind: 'held', id }, 'a list of deployments') : answer
}

/** Whether a service shows that a change was made. No, as long as it doesn't answer. */
async function shows(
  http: HttpClient,
  target: HttpTarget,
  id: string,
  { change, latestRevisionId }: NonNullable<StoredChange['sent']>,
  signal: AbortSignal,
): Promise<boolean> {
  const held = await readHeldDeployment(http, target, id, signal)
  if (!held.ok) return false
  if (change.kind === 'delete') {
    return held.value === null || (held.value.detail.deployment.status === 'AWAITING_DELETE' && !change.force)
  }
  if (held.value === null) return false
  const { deployment } = held.value.detail
  if (change.kind === 'settings') return has(deployment.source_config, change.config)
  const page = await readRevisionPage(http, target, { id, limit: revisionsRead, offset: 0 }, signal)
  if (!page.ok) return false
  const { revisions } = page.value
  if (change.kind === 'interrupt') {
    return revisions.some((one) => one.id === change.revisionId && one.status === 'INTERRUPTED')
  }
  const before = revisions.findIndex((one) => one.id === latestRevisionId)
  // Without the latest one before, nothing tells which are later.
  if (before < 0 && latestRevisionId !== null) return false
  const later = before < 0 ? revisions : revisions.slice(0, before)
  const config =
    change.kind === 'revision'
      ? change.config
      : 'revisionId' in change
        ? revisions.find((one) => one.id === change.revisionId)?.source_revision_config
        : {}
  const isThere = config !== undefined && later.some((one) => has(one.source_revision_config, config))
  switch (change.kind) {
    case 'resources':
      return isThere && has(deployment.source_config.resource_spec, change.spec)
    case 'secrets': {
      const names = new Set(deployment.secrets.map(({ name }) => name))
      return (
        isThere &&
        change.set.every(({ name }) => names.has(name)) &&
        !change.removed.some((one) => names.has(one))
      )
    }
    default:
      return isThere
  }
}

/** A change without values of secrets, for the journal. */
function withoutValues(change: Change): Change {
  if (change.kind !== 'secrets') return withoutSecretValues(change)
  return { ...change, set: change.set.map(({ name }) => ({ name, value: '' })) }
}

/** Whether the service carried it out, whatever is wrong with its answer. */
const isGoodStatus = ({ sent, status }: Failure): boolean =>
  sent === 'answered' && status !== null && status >= 200 && status < 300

const noSuchRevision = failure('not-found', 'The service has no such revision among the newest ones.', {
  advice: 'Read the revisions again, and choose another one.',
})

const alreadyUnderWay = failure('conflict', 'This deployment is being changed already.', {
  advice: 'Wait for the result, which Activity shows.',
})

const movedOn = failure('attempt-changed', 'The deployment has changed since you looked.', {
  advice: 'Nothing was sent. Below is what the change would do now.',
})

const nameWanted = failure('confirmation-needed', "That isn't the deployment's name.", {
  advice: 'Nothing was deleted. Type its exact name.',
})

const noSuchEntry = failure('not-found', 'Activity has no such change any more.')

const sentElsewhere = failure('other-service', 'It was sent to another service, or with other settings.', {
  advice: "To check it, set the environment's base URL and request headers back.",
})

const unconfirmed = (reason: Failure): Failure => ({
  ...reason,
  advice:
    'The change is unconfirmed: the service may have made it. Look at the deployment and its revisions before you ' +
    'send it again.',
  retryable: false,
})
