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
  type Proxy,
  type SecretsPlace,
  succeed,
  type Trust,
} from '@contract'
import type { ReadyEnvironment } from '../../environments/types'
import { differencesOf, secretsPlaceOf, whyNotSent } from '../../environments/stored-secrets'
import type { SecretValue } from './collections'
import { shownText } from '@contract/core/text'
import { type Ask, fitsOnScreen, type Question, shownName } from '../../window/question-text'

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

/** The question before stored secrets are sent to a place that they weren't entered for. */
export interface SecretsQuestion {
  deploymentName: string
  to: SecretsPlace
  /** The question lists all of them. */
  secrets: readonly SecretElsewhere[]
  /**
   * The names of secrets of other drafts, as they were entered, that the same consent covers: they were entered for the
   * same environment as some of these, before it changed.
   */
  others: readonly string[]
}

/** A secret that was entered for another place. */
interface SecretElsewhere {
  /** The name when it was entered: a page may have changed it since. */
  name: string
  /** The place that it was entered for; null if that isn't known. */
  from: SecretsPlace | null
}

/** Asks for the operator's consent; gives null if another question is open. */
export type ConfirmSecrets = (question: SecretsQuestion) => Promise<boolean | null>

/** How many secrets one question may name. Among more, one could go unnoticed. */
const maxConfirmed = 40

/** Whether a question can list everything it is about, all visible at once. */
export const isShownWhole = (question: SecretsQuestion): boolean =>
  question.secrets.length + question.others.length <= maxConfirmed && fitsOnScreen(asQuestion(question))

/** Asks outside the page. */
export function confirmSecretsBy(ask: Ask): ConfirmSecrets {
  return (question) => ask(asQuestion(question))
}

/**
 * The text of the question. A page may have chosen the names of environments and of the deployment. So the message has
 * only the origin, which can't be faked, and each name is on a labelled line.
 */
function asQuestion({ deploymentName, to, secrets, others }: SecretsQuestion): Question {
  const known = secrets.filter(({ from }) => from !== null)
  const unknown = secrets.filter(({ from }) => from === null)
  return {
    message: `Send ${counted(secrets)} to ${originOf(to)}?`,
    detail: [
      // First, so that it is visible whatever follows.
      'Cancel unless you just asked Slipway to create this deployment there. Cancelling sends nothing, and Slipway ' +
        'asks again about this destination only after a restart.',
      [`Deployment: ${shownName(deploymentName)}`, ...linesOf(to)].join('\n'),
      ...(known.length > 0
        ? [
            `This deployment uses ${counted(known)} that ${wasOrWere(known)} entered for a different destination:\n` +
              bySource(known, to).join('\n\n'),
          ]
        : []),
      ...(unknown.length > 0
        ? [`${unknownWords(unknown)}\n${namesOf(unknown.map(({ name }) => name))}`]
        : []),
      ...(others.length > 0 ? [`${describeOthers(others)}\n${namesOf(others)}`] : []),
    ].join('\n\n'),
    agree: 'Send secrets',
  }
}

/** A paragraph for each source: its secrets, and how it differs from the destination. */
function bySource(secrets: readonly SecretElsewhere[], to: SecretsPlace): string[] {
  const groups = new Map<string, SecretElsewhere[]>()
  for (const secret of secrets) {
    const { from } = secret
    if (!from) continue
    const different = `Different now: ${differencesOf(from, to).join(', ')}`
    const source = [`Entered for: ${originOf(from)}`, ...linesOf(from), different].join('\n')
    groups.set(source, [...(groups.get(source) ?? []), secret])
  }
  return [...groups].map(([source, own]) => `${source}\n${namesOf(own.map(({ name }) => name))}`)
}

const unknownWords = ({ length }: readonly SecretElsewhere[]): string =>
  length === 1
    ? "Slipway doesn't know what this secret was entered for (it was saved while the environment couldn't be read):"
    : "Slipway doesn't know what these secrets were entered for (they were saved while the environment couldn't be " +
      'read):'

/** What consent means beyond this deployment. */
const describeOthers = (others: readonly string[]): string =>
  `Other drafts use ${counted(others)} that ${wasOrWere(others)} entered for the same destination as it was. If you agree, ` +
  `Slipway sends ${others.length === 1 ? 'it' : 'them'} there without asking once you create those deployments:`

const namesOf = (names: readonly string[]): string =>
  `Secrets: ${names.map((name) => `“${shownName(name) || 'unnamed'}”`).join(', ')}`

const counted = ({ length }: readonly unknown[]): string =>
  `${length} stored ${length === 1 ? 'secret' : 'secrets'}`

const wasOrWere = ({ length }: readonly unknown[]): string => (length === 1 ? 'was' : 'were')

const originOf = ({ route }: SecretsPlace): string =>
  route ? new URL(route.baseUrl).origin : 'the built-in service on this machine'

/** The environment, and what is unusual about the route to its service. */
function linesOf({ environmentName, route }: SecretsPlace): string[] {
  const tenant = route?.tenant ?? null
  const certificate = route && certificateOf(route.trust)
  const proxy = route && proxyOf(route.proxy)
  return [
    `Environment: ${shownName(environmentName)}`,
    ...(tenant === null ? [] : [`Tenant: ${shownName(tenant)}`]),
    ...(certificate ? [`Certificate: ${certificate}`] : []),
    ...(proxy ? [`Proxy: ${proxy}`] : []),
  ]
}

function certificateOf(trust: Trust): string | null {
  switch (trust.kind) {
    case 'authority':
      return 'signed by a CA added in Slipway, not by a system CA'
    case 'exact':
      return 'trusted in Slipway, not by the system'
    case 'system':
      return null
  }
}

function proxyOf(proxy: Proxy): string | null {
  switch (proxy.mode) {
    case 'manual':
      return `${shownText(proxy.host, { max: 100 })}:${proxy.port}`
    case 'pac-url':
      return `chosen by the PAC file ${shownText(proxy.url, { max: 100 })}`
    case 'pac-text':
      return 'chosen by a PAC script'
    case 'system':
    case 'none':
      return null
  }
}
