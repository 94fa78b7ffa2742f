import type { Proxy, SecretsPlace, Trust } from '@contract'
import { shownText } from '@contract/core/text'
import { differencesOf } from '../../environments/model/stored-secrets'
import { fitsOnScreen, shownName } from '../../window/dialogs/question-text'
import type { Ask, Question } from '../../window/dialogs/questions'

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
    ? "Slipway doesn't know what this secret was entered for (it was saved by an earlier version, or while the " +
      "environment couldn't be read):"
    : "Slipway doesn't know what these secrets were entered for (they were saved by an earlier version, or while the " +
      "environment couldn't be read):"

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
