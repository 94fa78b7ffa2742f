import { Sequencer } from '../../async'
import { runInSlices } from '../../async/time-slices'
import { createFormIndex, type FormIndex } from './form-index'
import { loosened } from './loose-text'
import { formsOfEach, lowerCase, unquotedWithPlaces } from './secret-forms'

/**
 * How many secrets are remembered, and how many characters their forms may have in total. The forms of a short secret
 * have a hundred times its length, and a character takes several bytes. All secrets of one request always fit. A secret
 * in use is learned again with every request, so it is never the oldest.
 */
const maxSecrets = 5_000
export const maxFormCharacters = 32_000_000

/**
 * How many characters may be compared with secrets: for each character of a text, and in addition for any text.
 * Ordinary texts take far less. Without a limit, many secrets with the same start and a text that repeats that start
 * would block the main process.
 */
const maxCompared = { each: 200, any: 20_000 } as const

/** A shorter form is hidden only where it is a whole word. */
const shortestAnywhere = 4

/** A loose form with fewer letters and digits may be an ordinary word. */
const shortestLoose = 10

/** The secret values of this run, in every form that a text may repeat. */
export interface KnownSecrets {
  /**
   * Remembers secret values that came together, after those of earlier calls. Until it resolves, nothing that may
   * repeat them may be logged or shown. A list whose values are all known doesn't wait.
   */
  learn: (secrets: Iterable<string>) => Promise<void>
  /**
   * The text with `mask` in place of each remembered value. If too much of the text resembles remembered values, `mask`
   * also replaces everything that wasn't compared.
   */
  hide: (text: string, mask: string) => string
  /** How many characters the forms of the remembered values have. */
  characters: () => number
}

/** The forms of a secret in lower case, its loose forms and its unquoted forms. */
interface Forms {
  strict: readonly string[]
  loose: readonly string[]
  unquoted: readonly string[]
}

/** A part of a text. */
interface Span {
  begin: number
  end: number
}

/**
 * Creates an empty store. The time to search a text depends on the text's length only, not on the number of secrets.
 *
 * @param aloneBelow a form shorter than this is hidden only where it is a whole word: inside another word it is a
 * coincidence
 */
export function createKnownSecrets(aloneBelow = shortestAnywhere): KnownSecrets {
  /** By secret, oldest first. */
  const known = new Map<string, Forms>()
  let characters = 0
  const strict = createFormIndex()
  const loose = createFormIndex()
  const unquoted = createFormIndex()
  const learning = new Sequencer()

  function* learnEach(secrets: Iterable<string>): Generator<undefined, void> {
    const again: string[] = []
    const unknown = new Set<string>()
    let left = maxSecrets
    for (const secret of secrets) {
      yield
      if (isBlank(secret)) continue
      if (left === 0) break
      left -= 1
      if (known.has(secret)) again.push(secret)
      else unknown.add(secret)
    }
    // The shortest come first: only a limited number of characters gets every form, and a password matters more than
    // the end of a long file.
    const learnt = yield* formsInSteps([...unknown].sort((a, b) => a.length - b.length))
    // The longest are added first, so that they are forgotten before a password, and before the known values of this
    // list.
    for (const [secret, forms] of learnt.reverse()) {
      yield* inSteps(forms.strict, strict.add)
      yield* inSteps(forms.loose, loose.add)
      yield* inSteps(forms.unquoted, unquoted.add)
      known.set(secret, forms)
      characters += charactersOf(forms)
    }
    again.forEach(renew)
    while (known.size > maxSecrets || characters > maxFormCharacters) yield* forgetOldest()
  }

  /** Makes a known secret the newest. */
  function renew(secret: string): void {
    const forms = known.get(secret)
    if (!forms) return
    known.delete(secret)
    known.set(secret, forms)
  }

  function* forgetOldest(): Generator<undefined> {
    const [oldest, itsForms] = known.entries().next().value as [string, Forms]
    known.delete(oldest)
    characters -= charactersOf(itsForms)
    yield* inSteps(itsForms.strict, strict.remove)
    yield* inSteps(itsForms.loose, loose.remove)
    yield* inSteps(itsForms.unquoted, unquoted.remove)
  }

  function strictSpans(text: string): Span[] {
    const lower = lowerCase(text)
    return spansOf(text.length, strict, (at) =>
      strict.longestAt(lower, at, (length) => length >= aloneBelow || standsAlone(lower, at, length)),
    )
  }

  function looseSpans(text: string): Span[] {
    const { text: bare, begins, ends } = loosened(text)
    return spansOf(bare.length, loose, (at) => loose.longestAt(bare, at, () => true)).map(
      ({ begin, end }) => ({ begin: begins[begin]!, end: ends[end - 1]! }),
    )
  }

  function unquotedSpans(text: string): Span[] {
    if (unquoted.isEmpty()) return []
    const { text: bare, places } = unquotedWithPlaces(lowerCase(text))
    return spansOf(bare.length, unquoted, (at) => unquoted.longestAt(bare, at, () => true)).map(
      // Includes the backslashes that escape the next character.
      ({ begin, end }) => ({
        begin: places[begin]!,
        end: Math.max(places[end] ?? text.length, places[end - 1]! + 1),
      }),
    )
  }

  return {
    async learn(secrets) {
      const list: readonly string[] | null = Array.isArray(secrets) ? secrets.slice(0, maxSecrets) : null
      if (list?.every((secret) => known.has(secret) || isBlank(secret))) list.forEach(renew)
      else await learning.queue(() => runInSlices(learnEach(list ?? secrets)))
    },

    characters: () => characters,

    hide(text, mask) {
      if (known.size === 0) return text
      let result = ''
      let copied = 0
      for (const { begin, end } of joined([
        ...strictSpans(text),
        ...looseSpans(text),
        ...unquotedSpans(text),
      ])) {
        result += text.slice(copied, begin) + mask
        copied = end
      }
      return result + text.slice(copied)
    },
  }
}

const isBlank = (secret: string): boolean => secret.trim() === ''

function* formsInSteps(secrets: readonly string[]): Generator<undefined, [string, Forms][]> {
  const learnt: [string, Forms][] = []
  for (const forms of formsOfEach(secrets, undefined, true)) {
    yield
    if (!forms) continue
    const [secret, own, bare, unquoted] = forms
    const loose = yield* looseForms(bare)
    learnt.push([secret, { strict: [...own], loose, unquoted: [...unquoted] }])
  }
  return learnt
}

/** The loose forms of texts (see `loosened`) that are too long to be an ordinary word. */
function* looseForms(forms: Iterable<string>): Generator<undefined, string[]> {
  const all = new Set<string>()
  for (const form of forms) {
    all.add(loosened(form).text)
    yield
  }
  return [...all].filter((form) => form.length >= shortestLoose)
}

/** How many forms are added to an index, or removed from it, in one step. */
const formsInOneStep = 100

function* inSteps(forms: readonly string[], change: (form: string) => void): Generator<undefined> {
  for (const [index, form] of forms.entries()) {
    change(form)
    if (index % formsInOneStep === 0) yield
  }
}

function charactersOf({ strict, loose, unquoted }: Forms): number {
  return [...strict, ...loose, ...unquoted].reduce((sum, form) => sum + form.length, 0)
}

/** The parts of a text that match an entry of an index, in order and without overlaps. */
function spansOf(length: number, index: FormIndex, lengthAt: (at: number) => number): Span[] {
  const spans: Span[] = []
  const max = index.compared + maxCompared.any + maxCompared.each * length
  for (let at = 0; at < length;) {
    if (index.compared > max) return [...spans, { begin: at, end: length }]
    const found = lengthAt(at)
    if (found > 0) spans.push({ begin: at, end: at + found })
    at += Math.max(found, 1)
  }
  return spans
}

/** Spans in order. Those that overlap become one. */
function joined(spans: Span[]): Span[] {
  const apart: Span[] = []
  for (const span of spans.sort((a, b) => a.begin - b.begin)) {
    const last = apart.at(-1)
    if (last && span.begin < last.end) last.end = Math.max(last.end, span.end)
    else apart.push({ ...span })
  }
  return apart
}

const wordCharacter = /[\p{L}\p{N}_]/u

function standsAlone(text: string, at: number, length: number): boolean {
  return !wordCharacter.test(text[at - 1] ?? ' ') && !wordCharacter.test(text[at + length] ?? ' ')
}
