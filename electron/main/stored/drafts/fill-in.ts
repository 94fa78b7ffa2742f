import {
  type CreateRequest,
  createRequestSchema,
  fail,
  failure,
  type Failure,
  type FieldIssue,
  fieldIssues,
  idOfMark,
  type Outcome,
  type SecretsPlace,
  succeed,
} from '@contract'
import type { ReadyEnvironment } from '../../environments/model/types'
import { secretsPlaceOf, whyNotSent } from '../../environments/model/stored-secrets'
import { isShownWhole, type ConfirmSecrets } from './confirm-secrets'
import type { SecretValue } from './values'

/** Creates `Drafts.fillIn`. */
export function createFillIn(options: {
  /** The value of a mark; null if it is no longer stored. */
  find: (mark: string) => SecretValue | null
  /** All stored values. */
  all: () => readonly SecretValue[]
  confirm: ConfirmSecrets
  /** Called when the operator has consented. The consent is stored with the values. */
  agreed: () => void
}): (request: CreateRequest, environment: ReadyEnvironment) => Promise<Outcome<CreateRequest>> {
  const { find, confirm } = options

  /** Asks the operator if secrets were entered for another place. Gives why they aren't sent, or null. */
  async function refusalOf(
    deploymentName: string,
    to: SecretsPlace,
    marked: readonly MarkedSecret[],
  ): Promise<Failure | null> {
    const elsewhere = marked.flatMap(({ index, stored: stored, why }) =>
      stored && why !== null ? [{ index, stored, why }] : [],
    )
    if (elsewhere.length === 0) return null
    const declined = elsewhere.filter(({ stored }) => isAmong(stored.declined, to))
    if (declined.length > 0) return enteredElsewhere(declined)
    const question = {
      deploymentName,
      to,
      secrets: elsewhere.map(({ stored }) => ({ name: stored.name, from: stored.places[0] ?? null })),
      others: [],
    }
    if (!isShownWhole(question)) return tooManyElsewhere(elsewhere)
    const inQuestion = new Set(elsewhere.map(({ stored }) => stored))
    const alike = movedAlike(options.all(), inQuestion, to)
    const withOthers = { ...question, others: alike.map(({ name }) => name) }
    const others = isShownWhole(withOthers) ? alike : []
    const agreed = await confirm(others.length > 0 ? withOthers : question)
    if (agreed === null) return cannotAsk(elsewhere)
    for (const stored of agreed ? [...inQuestion, ...others] : inQuestion) {
      ;(agreed ? stored.places : stored.declined).push(to)
    }
    if (!agreed) return enteredElsewhere(elsewhere)
    options.agreed()
    return null
  }

  return async (request, environment) => {
    const to = secretsPlaceOf(environment)
    const marked = request.secrets.flatMap(({ value }, index): MarkedSecret[] => {
      if (idOfMark(value) === null) return []
      const stored = find(value)
      return [{ index, stored, why: stored ? whyNotSentTo(to, stored) : 'its value is no longer stored' }]
    })
    if (marked.length === 0) return succeed(request)
    if (marked.some(({ stored }) => stored === null)) return fail(noLongerStored(marked))
    const values = new Map(marked.map(({ index, stored }) => [index, stored?.value]))
    const secrets = request.secrets.map((secret, index) => ({
      ...secret,
      value: values.get(index) ?? secret.value,
    }))
    // A short mark may stand for a long value, and occur many times.
    const parsed = createRequestSchema.shape.secrets.safeParse(secrets)
    if (!parsed.success) return fail(tooMuchToSend(fieldIssues(parsed.error)))
    const refused = await refusalOf(request.name, to, marked)
    return refused ? fail(refused) : succeed({ ...request, secrets })
  }
}

/** A secret of a request whose value is a mark. `why` says why it isn't sent, as a clause. */
interface MarkedSecret {
  index: number
  stored: SecretValue | null
  why: string | null
}

/** Whether the secrets would be sent to one of these places. */
const isAmong = (places: readonly SecretsPlace[], to: SecretsPlace): boolean =>
  places.some((place) => whyNotSent(place, to) === null)

/** Why a value may not be sent to a place without consent; null if it was entered for it, or the operator consented. */
function whyNotSentTo(to: SecretsPlace, { places: [first, ...others] }: SecretValue): string | null {
  if (!first) return "Slipway doesn't know what it was entered for"
  return isAmong(others, to) ? null : whyNotSent(first, to)
}

/**
 * The other values that the same consent covers: those that were entered for the same environment, as it was then, as
 * one of the values in question. None that would be sent to another environment: each draft with these is asked about
 * separately.
 */
function movedAlike(
  all: readonly SecretValue[],
  inQuestion: ReadonlySet<SecretValue>,
  to: SecretsPlace,
): SecretValue[] {
  const changed: SecretsPlace[] = []
  for (const { places } of inQuestion) {
    const [from] = places
    if (from?.environmentId === to.environmentId && !isAmong(changed, from)) changed.push(from)
  }
  const others: SecretValue[] = []
  for (const stored of changed.length > 0 ? all : []) {
    const [from] = stored.places
    if (!from || inQuestion.has(stored) || !isAmong(changed, from)) continue
    if (whyNotSentTo(to, stored) === null || isAmong(stored.declined, to)) continue
    others.push(stored)
  }
  return others
}

function notSent(message: string, advice: string, marked: readonly MarkedSecret[]): Failure {
  return failure('invalid-input', `${message}, so nothing was sent.`, {
    advice,
    issues: marked.map(({ index, why }) => ({
      path: ['secrets', index, 'value'],
      message: `Enter this value again: ${why}.`,
    })),
  })
}

const noLongerStored = (marked: readonly MarkedSecret[]): Failure =>
  notSent(
    'The value of a secret is no longer stored',
    'Enter it again.',
    marked.filter(({ stored }) => stored === null),
  )

const enteredElsewhere = (declined: readonly MarkedSecret[]): Failure =>
  notSent(
    'The value of a secret was entered for a different destination, and you declined to send it to this one',
    'Enter it again, or restart Slipway to be asked again.',
    declined,
  )

const tooManyElsewhere = (elsewhere: readonly MarkedSecret[]): Failure =>
  notSent(
    'More stored secrets were entered for a different destination than one question can show at once',
    'Enter some of their values again.',
    elsewhere,
  )

const cannotAsk = (elsewhere: readonly MarkedSecret[]): Failure =>
  notSent(
    'The value of a secret was entered for a different destination, and another dialog is open or was just declined',
    'Answer the dialog, or wait a few seconds, then try again. Or enter the value again.',
    elsewhere,
  )

function tooMuchToSend(issues: readonly FieldIssue[]): Failure {
  return failure('invalid-input', 'The stored values of the secrets are too large, so nothing was sent.', {
    advice: 'Shorten them, or remove some.',
    issues: issues.map(({ path, message }) => ({ path: ['secrets', ...path], message })),
  })
}
