import { formsOfEach, lowerCase } from './secret-forms'

/**
 * How many secrets are remembered, and how many characters of them. One in use is learnt again with every request, so
 * that it never falls out.
 */
const most = { secrets: 5_000, characters: 8_000_000 } as const

/** By so many of their first characters forms are found; a shorter one is looked for by itself. */
const indexedLength = 4

/** The secret values that this session has seen, in every form in which a text may repeat them. */
export interface KnownSecrets {
  /** Remembers secret values that came together. */
  learn: (secrets: readonly string[]) => void
  /** The text with `mask` in the place of each remembered value. */
  hide: (text: string, mask: string) => string
  /** How many characters the remembered values have. */
  characters: () => number
}

/** How many of the remembered secrets have a form. */
type FormCounts = Map<string, number>

/** How many forms have a length. */
type LengthCounts = Map<number, number>

/**
 * Makes an empty memory. Its work on a text does not grow with the number of secrets.
 *
 * @param aloneBelow a form that is shorter is hidden only where it stands alone: it would tear ordinary words apart
 */
export function createKnownSecrets(aloneBelow = indexedLength): KnownSecrets {
  /** By secret, oldest first: its forms, in lower case. */
  const known = new Map<string, readonly string[]>()
  let characters = 0
  const forms: FormCounts = new Map()
  /** The lengths of the forms, by their first characters. */
  const lengths = new Map<string, LengthCounts>()

  function add(form: string): void {
    const count = forms.get(form) ?? 0
    forms.set(form, count + 1)
    if (count > 0 || form.length < indexedLength) return
    const start = form.slice(0, indexedLength)
    const own = lengths.get(start)
    if (own) own.set(form.length, (own.get(form.length) ?? 0) + 1)
    else lengths.set(start, new Map([[form.length, 1]]))
  }

  /** A form that another secret has as well stays known. */
  function forget(form: string): void {
    const count = (forms.get(form) ?? 1) - 1
    if (count > 0) {
      forms.set(form, count)
      return
    }
    forms.delete(form)
    if (form.length < indexedLength) return
    const start = form.slice(0, indexedLength)
    const own = lengths.get(start)
    const others = (own?.get(form.length) ?? 1) - 1
    if (others > 0) own?.set(form.length, others)
    else own?.delete(form.length)
    if (own?.size === 0) lengths.delete(start)
  }

  function forgetOldest(): void {
    const [oldest, itsForms] = known.entries().next().value as [string, readonly string[]]
    known.delete(oldest)
    characters -= oldest.length
    itsForms.forEach(forget)
  }

  return {
    learn(secrets) {
      const unknown: string[] = []
      for (const secret of secrets.slice(0, most.secrets)) {
        const before = known.get(secret)
        if (before) {
          known.delete(secret)
          known.set(secret, before)
        } else if (secret.trim() !== '') unknown.push(secret)
      }
      for (const [secret, own] of formsOfEach(new Set(unknown))) {
        known.set(secret, [...own])
        characters += secret.length
        own.forEach(add)
        while (known.size > most.secrets || characters > most.characters) forgetOldest()
      }
    },

    characters: () => characters,

    hide(text, mask) {
      if (known.size === 0) return text
      const lower = lowerCase(text)
      let result = ''
      let copied = 0
      for (let at = 0; at < text.length;) {
        const length = longestAt(lower, at, forms, lengths, aloneBelow)
        if (length === 0) {
          at += 1
          continue
        }
        result += text.slice(copied, at) + mask
        at += length
        copied = at
      }
      return result + text.slice(copied)
    },
  }
}

function longestAt(
  text: string,
  at: number,
  forms: FormCounts,
  lengths: ReadonlyMap<string, LengthCounts>,
  aloneBelow: number,
): number {
  const isAt = (length: number): boolean =>
    at + length <= text.length &&
    forms.has(text.slice(at, at + length)) &&
    (length >= aloneBelow || standsAlone(text, at, length))
  let longest = 0
  for (const length of lengths.get(text.slice(at, at + indexedLength))?.keys() ?? []) {
    if (length > longest && isAt(length)) longest = length
  }
  for (let length = indexedLength - 1; length > longest; length -= 1) {
    if (isAt(length)) return length
  }
  return longest
}

const wordCharacter = /[\p{L}\p{N}_]/u

function standsAlone(text: string, at: number, length: number): boolean {
  return !wordCharacter.test(text[at - 1] ?? ' ') && !wordCharacter.test(text[at + length] ?? ' ')
}
