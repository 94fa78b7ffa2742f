/** How many secrets are remembered. One in use is learnt again with every request, so that it never falls out. */
const mostSecrets = 5_000

/** Longer ones are remembered piece by piece, so that a part of one is found too. */
const pieceLength = 64

/** Below this length a form would tear ordinary words apart: it is hidden only where it stands alone. */
const indexedLength = 4
const shortestPart = 8
const shortestBase64 = 8

/** The secret values that this session has seen, in every form in which a text may repeat them. */
export interface KnownSecrets {
  /** Remembers a secret value. */
  learn: (secret: string) => void
  /** The text with `mask` in the place of each remembered value. */
  hide: (text: string, mask: string) => string
}

/** How many of the remembered secrets have a form. */
type FormCounts = Map<string, number>

/** Makes an empty memory. Its work on a text does not grow with the number of secrets. */
export function createKnownSecrets(): KnownSecrets {
  /** By secret, oldest first: its forms, in lower case. */
  const known = new Map<string, readonly string[]>()
  /** How many secrets have each form, by its first characters. */
  const index = new Map<string, FormCounts>()
  const short: FormCounts = new Map()

  function add(form: string): void {
    const forms = countsFor(form)
    forms.set(form, (forms.get(form) ?? 0) + 1)
  }

  /** A form that another secret has as well stays known. */
  function forget(form: string): void {
    const forms = countsFor(form)
    const count = (forms.get(form) ?? 1) - 1
    if (count > 0) forms.set(form, count)
    else forms.delete(form)
    if (forms.size === 0) index.delete(form.slice(0, indexedLength))
  }

  function countsFor(form: string): FormCounts {
    if (form.length < indexedLength) return short
    const start = form.slice(0, indexedLength)
    const forms = index.get(start) ?? new Map<string, number>()
    index.set(start, forms)
    return forms
  }

  return {
    learn(secret) {
      if (secret.trim() === '') return
      const before = known.get(secret)
      if (before) {
        known.delete(secret)
        known.set(secret, before)
        return
      }
      const forms = [...formsOf(secret)]
      known.set(secret, forms)
      forms.forEach(add)
      if (known.size <= mostSecrets) return
      const [oldest, itsForms] = known.entries().next().value as [string, readonly string[]]
      known.delete(oldest)
      itsForms.forEach(forget)
    },

    hide(text, mask) {
      if (known.size === 0) return text
      const lower = lowerCase(text)
      let result = ''
      let copied = 0
      for (let at = 0; at < text.length;) {
        const length = longestAt(lower, at, index, short)
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
  index: ReadonlyMap<string, FormCounts>,
  short: FormCounts,
): number {
  let longest = 0
  for (const form of index.get(text.slice(at, at + indexedLength))?.keys() ?? []) {
    if (form.length > longest && text.startsWith(form, at)) longest = form.length
  }
  if (longest > 0 || short.size === 0) return longest
  for (let length = indexedLength - 1; length > 0; length -= 1) {
    if (short.has(text.slice(at, at + length)) && standsAlone(text, at, length)) return length
  }
  return 0
}

const wordCharacter = /[\p{L}\p{N}]/u

function standsAlone(text: string, at: number, length: number): boolean {
  return !wordCharacter.test(text[at - 1] ?? ' ') && !wordCharacter.test(text[at + length] ?? ' ')
}

/** The forms of a secret: of the whole, its lines and longer words, as they are, escaped and encoded. */
function formsOf(secret: string): Set<string> {
  const forms = new Set<string>()
  for (const part of partsOf(secret)) {
    for (const form of [part, JSON.stringify(part).slice(1, -1), ...urlEncoded(part), ...base64(part)]) {
      forms.add(lowerCase(form))
    }
  }
  return forms
}

function partsOf(secret: string): Set<string> {
  const whole = secret.trim()
  const parts = new Set<string>()
  const add = (text: string): void => {
    if (text.length <= 2 * pieceLength) {
      parts.add(text)
      return
    }
    for (let at = 0; at < text.length; at += pieceLength) {
      parts.add(text.slice(Math.min(at, text.length - pieceLength), at + pieceLength))
    }
  }
  add(whole)
  for (const word of whole.split(/\s+/)) if (word.length >= shortestPart) add(word)
  return parts
}

function urlEncoded(text: string): string[] {
  try {
    const encoded = encodeURIComponent(text)
    return [encoded, encoded.replaceAll('%20', '+'), encodeURI(text)]
  } catch {
    // Half a surrogate pair cannot be encoded.
    return []
  }
}

/** How base64 shows a text that begins at any place of what was encoded, without what its neighbours change. */
function base64(text: string): string[] {
  const bytes = Buffer.from(text)
  const forms: string[] = []
  for (const before of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const whole = Math.floor(((before + bytes.length) * 8) / 6)
    const form = encoded.slice(Math.ceil((before * 8) / 6), whole)
    if (form.length >= shortestBase64) {
      forms.push(form, form.replaceAll('+', '-').replaceAll('/', '_'))
    }
  }
  return forms
}

/** In lower case as far as that keeps every character in its place. */
function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
