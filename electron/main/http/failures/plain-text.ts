import { hiddenValue } from '@contract'
import type { KnownSecrets } from '../../log/secrets/known-secrets'
import { longestForm } from '../../log/secrets/secret-forms'

/** The longest text of a service that is shown, in characters. */
export const longestText = 2000

/**
 * Makes a text of a service fit to be shown: one that cannot move, colour or reverse what stands around it, has
 * none of `secrets` in it, and is at most `longest` characters long.
 */
export function plainText(text: string, secrets: KnownSecrets | null = null, longest = longestText): string {
  // Cleaning a whole page would hold up the main process, and no more than this is needed of it.
  const beginning = text.slice(0, longest * 10 + longestForm)
  const seen = visible(beginning)
  const clean = secrets?.hide(seen, hiddenValue) ?? seen
  // The end of a text that was cut there may be half a secret, which nobody recognises.
  const whole = text.length > beginning.length ? clean.slice(0, -longestForm) : clean
  const characters = Array.from(whole)
  return characters.length <= longest ? whole : characters.slice(0, longest - 1).join('') + '…'
}

/** Takes control, formatting (bidirectional, zero-width) and unassigned characters away and folds white space. */
export function visible(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/[^\P{C}\n\t]/gu, '')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
