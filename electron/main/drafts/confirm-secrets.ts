import type { Proxy, SecretsPlace } from '@contract'
import { shownText } from '@contract/untrusted-text'
import type { Ask, Question } from '../window/questions'

/** What the user is asked before kept secrets are sent to what they were not entered for. */
export interface SecretsQuestion {
  draftName: string
  to: SecretsPlace
  secrets: readonly SecretElsewhere[]
}

/** A secret that was entered for something else. */
export interface SecretElsewhere {
  /** As it was entered: a page may have renamed it since. */
  name: string
  /** What it was entered for; null where that is not known. */
  from: SecretsPlace | null
  /** What is different, as a clause. */
  why: string
}

/** Asks the user whether they agree; null where another question is open. */
export type ConfirmSecrets = (question: SecretsQuestion) => Promise<boolean | null>

/** Asks outside the page. */
export function confirmSecretsBy(ask: Ask): ConfirmSecrets {
  return (question) => ask(asQuestion(question))
}

/** Secrets that the question names one by one. */
const mostNamed = 8

function asQuestion({ draftName, to, secrets }: SecretsQuestion): Question {
  const [those, number] =
    secrets.length === 1 ? ['It was', '1 kept secret'] : ['They were', `${secrets.length} kept secrets`]
  const named = secrets.slice(0, mostNamed).map(({ name, from, why }) => {
    const entered = from ? `entered for ${wordsOf(from)}; ` : ''
    return `• ${shownName(name) || 'unnamed'}: ${entered}${why}.`
  })
  return {
    message: `Send ${number} to ${wordsOf(to)}?`,
    detail: [
      `The draft “${shownName(draftName)}” has ${number} from before. ${those} not entered for this:`,
      [...named, ...(secrets.length > mostNamed ? [`• and ${secrets.length - mostNamed} more`] : [])].join(
        '\n',
      ),
      'Cancel unless you have just asked Slipway to create this deployment there. Nothing is sent then.',
    ].join('\n\n'),
    agree: 'Send secrets',
  }
}

/** An environment by its name and by what nobody can make up: its origin, and the proxy on the way. */
function wordsOf({ environmentName, route }: SecretsPlace): string {
  const where = route ? new URL(route.baseUrl).origin + throughOf(route.proxy) : 'on this machine'
  return `“${shownName(environmentName)}” (${where})`
}

function throughOf(proxy: Proxy): string {
  switch (proxy.mode) {
    case 'manual':
      return ` through the proxy ${proxy.host}:${proxy.port}`
    case 'pac-url':
      return ` through a proxy that ${shownText(proxy.url, { most: 100 })} chooses`
    case 'pac-text':
      return ' through a proxy that a PAC script chooses'
    case 'system':
    case 'none':
      return ''
  }
}

const shownName = (name: string): string => shownText(name, { most: 60 })
