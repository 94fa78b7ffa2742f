import { type CallName, fail, type FailureCode, type Outcome } from '@contract'
import { notFound } from '../environments/failures'
import { accountIn, existsIn, nameIn } from '../environments/identity'
import type { Environments } from '../environments/types'
import type { Reconciler } from '../features/deployments/reconciler'
import type { Journal } from '../stored/journal'
import type { Handlers } from './answer'

interface NotingParts {
  environments: Pick<Environments, 'state' | 'destination'>
  journal: Pick<Journal, 'noteFailure'>
  /** It closes when Slipway quits, which ends the built-in service and connections first, so calls fail then. */
  reconciler: Pick<Reconciler, 'closing'>
  report: (error: unknown) => void
}

/** The calls whose failures the journal notes, under these names. A creation and a change have entries of their own. */
const noted: Partial<Record<CallName, string>> = {
  'deployments.page': 'List deployments',
  'deployments.get': 'Open a deployment',
  'deployments.status': 'Read the status of a deployment',
  'life.revisions': 'List revisions',
  'life.review': 'Review a change',
  'life.log': 'Read a log',
  'repositories.list': 'List repositories',
}

/** Failures of normal use: the operator left, or must fix or confirm something first. */
const everyday: readonly FailureCode[] = [
  'cancelled',
  'environment-changed',
  'invalid-input',
  'confirmation-needed',
]

/** The calls about the service of the current environment: they check themselves that it is still current. */
const ofCurrent = /^(?:deployments|repositories|life)\.(?!keptOffers|switchOn|failed)/

type AnyHandler = (
  input: { environmentId: string },
  signal: AbortSignal,
) => Outcome<unknown> | Promise<Outcome<unknown>>

/**
 * Handlers that note failures of the service in the journal, and do nothing about an environment that doesn't exist
 * (any more).
 */
export function noteFailures(
  handlers: Handlers,
  { environments, journal, reconciler, report }: NotingParts,
): Handlers {
  const exists = existsIn(environments)
  const nameOf = nameIn(environments)
  const accountOf = accountIn(environments)

  const noting =
    (action: string, handle: AnyHandler): AnyHandler =>
    async (input, signal) => {
      const startedAt = new Date()
      const { environmentId } = input
      // An edit meanwhile doesn't make it a failure of the other service.
      const before = accountOf(environmentId)
      const outcome = await handle(input, signal)
      if (
        outcome.ok ||
        signal.aborted ||
        reconciler.closing.aborted ||
        everyday.includes(outcome.failure.code)
      )
        return outcome
      const environmentName = nameOf(environmentId) ?? environmentId
      const place = { environmentId, environmentName, account: before ?? accountOf(environmentId) }
      void journal.noteFailure(place, action, startedAt, outcome.failure).catch(report)
      return outcome
    }

  const known =
    (handle: AnyHandler): AnyHandler =>
    (input, signal) =>
      typeof input.environmentId !== 'string' || exists(input.environmentId)
        ? handle(input, signal)
        : fail(notFound())

  return Object.fromEntries(
    Object.entries(handlers).map(([name, handle]) => {
      const action = noted[name as CallName]
      const handler = handle as AnyHandler
      if (action !== undefined) return [name, noting(action, handler)]
      return [name, ofCurrent.test(name) ? handler : known(handler)]
    }),
  ) as unknown as Handlers
}
