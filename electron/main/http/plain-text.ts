import { createKnownSecrets, type KnownSecrets } from '../log/known-secrets'

/** The longest text of a service that is shown, in characters. */
export const longestWords = 2000

/** What stands where a secret was. */
const hidden = '•••'

/** Shorter values are not hidden: they would tear ordinary words apart, and are no secrets. */
const shortestSecret = 4

/**
 * Makes a text of a service fit to be shown: one that cannot move, colour or reverse what stands around it, has
 * none of `secrets` in it, and is at most `longest` characters long.
 */
export function plainText(text: string, secrets: readonly string[] = [], longest = longestWords): string {
  // Cleaning a whole page would hold up the main process, and no more than this is needed of it.
  const beginning = text.slice(0, longest * 10)
  const clean = hideSecrets(
    withoutHalfSecret(visible(beginning), text.length > beginning.length, secrets),
    secrets,
  )
  const characters = Array.from(clean)
  return characters.length <= longest ? clean : characters.slice(0, longest - 1).join('') + '…'
}

/** Leaves out the end of a text that was cut there: it may be half a secret, which nobody would recognise. */
function withoutHalfSecret(text: string, cut: boolean, secrets: readonly string[]): string {
  // As JSON or in a URL, a character may take six.
  const longestForm = 6 * Math.max(0, ...secrets.map(({ length }) => length))
  return cut && longestForm > 0 ? text.slice(0, -longestForm) : text
}

/** Takes control, formatting (bidirectional, zero-width) and unassigned characters away and folds white space. */
function visible(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/[^\P{C}\n\t]/gu, '')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** What is known of each list of secrets: a failure has many texts. */
const knownByList = new WeakMap<readonly string[], KnownSecrets>()

/** A service that repeats a request writes its secrets as JSON or URLs do: those forms are hidden as well. */
function hideSecrets(text: string, secrets: readonly string[]): string {
  const known = knownByList.get(secrets) ?? createKnownSecrets()
  if (!knownByList.has(secrets)) {
    knownByList.set(secrets, known)
    const forms = secrets.flatMap((secret) => [secret, visible(secret)])
    known.learn(forms.filter((form) => form.trim().length >= shortestSecret))
  }
  return known.hide(text, hidden)
}
