import { createKnownSecrets } from '../log/known-secrets'

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
  const clean = hideSecrets(visible(text), secrets)
  const characters = Array.from(clean)
  return characters.length <= longest ? clean : characters.slice(0, longest - 1).join('') + '…'
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

/** A service that repeats a request writes its secrets as JSON or URLs do: those forms are hidden as well. */
function hideSecrets(text: string, secrets: readonly string[]): string {
  const known = createKnownSecrets()
  for (const secret of secrets) {
    for (const form of [secret, visible(secret)]) {
      if (form.trim().length >= shortestSecret) known.learn(form)
    }
  }
  return known.hide(text, hidden)
}
