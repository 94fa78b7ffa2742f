import { canBeClaimed, type Failure, failure, type StoredCreation, withChosen } from '@contract'
import type { ReadyEnvironment } from '../../../environments/model/types'
import type { Journal } from '../../../stored/journal'
import { createdIds, isAtService, journalFailure, otherServiceFailure } from '../attempts/open-attempts'
import { whereFound } from '../attempts/sent-to'

/** Settles an attempt as the creator of a deployment, like `Reconciler.claim`. Gives why not, or null. */
export async function claimDeployment(
  { journal, report }: { journal: Journal; report: (error: unknown) => void },
  attempt: StoredCreation,
  deploymentId: string,
  environment: ReadyEnvironment,
): Promise<Failure | null> {
  if (!isAtService(attempt, environment)) return otherServiceFailure
  const taken = createdIds(await journal.creations(), environment, attempt.name).known.has(deploymentId)
  const chosen = attempt.lookup && withChosen(attempt.lookup, deploymentId)
  if (!canBeClaimed(attempt) || chosen === null || taken) return claimOutdated
  try {
    // Uses the lookup that the operator saw: another lookup may have found something else by now.
    await journal.claimCreation(attempt.id, chosen, whereFound(environment, attempt))
    return null
  } catch (error) {
    report(error)
    return journalFailure('the attempt is still unconfirmed')
  }
}

const claimOutdated = failure('conflict', 'The state of this attempt has changed.', {
  advice: 'Check its current state.',
})
