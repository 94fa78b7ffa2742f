import { hiddenValue } from '@contract'
import type { KnownSecrets } from '../../log/secrets/known-secrets'
import { longestForm } from '../../log/secrets/secret-forms'

/** The longest text of a service that is shown, in characters. */
export const longestText = 2000

/**
 * Makes a text of a service safe to show. The result has no characters that move, colour or reverse the text around it,
 * none of `secrets`, and at most `longest` characters.
 */
export function plainText(text: string, secrets: KnownSecrets | null = null, longest = longestText): string {
  // Only the beginning is shown. Cleaning a whole page would block the main process.
  const beginning = text.slice(0, longest * 10 + longestForm)
  const seen = visible(beginning)
  const clean = secrets?.hide(seen, hiddenValue) ?? seen
  // The text was cut here. Its end may be part of a secret, which can't be recognised.
  const whole = text.length > beginning.length ? clean.slice(0, -longestForm) : clean
  const characters = Array.from(whole)
  return characters.length <= longest ? whole : characters.slice(0, longest - 1).join('') + '…'
}

/** Removes control, formatting (bidirectional, zero-width) and unassigned characters, and folds white space. */
export function visible(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/[^\P{C}\n\t]/gu, '')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
