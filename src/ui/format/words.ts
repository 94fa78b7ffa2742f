import { foldName, formatCount, searchWords, shownText } from '@contract/core/text'
import { modeLabels } from '@contract/core/labels'
import type { DeploymentDetail, Environment, EnvironmentView } from '@contract'

export { formatCount }

/** A count with its noun: "1 deployment", "3,120 deployments". */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${formatCount(count)} ${count === 1 ? noun : plural}`

/** Those of the texts that apply: the others are false, null or empty. */
export const compact = (texts: readonly (string | false | null | undefined)[]): string[] =>
  texts.filter((text) => typeof text === 'string' && text !== '') as string[]

/** An environment's mode and what else distinguishes it, as a list. */
export const traitsOf = (profile: EnvironmentView, storage?: Environment['storage']): string =>
  compact([
    modeLabels[profile.mode],
    storage === 'built-in' && 'built in',
    storage === 'session' && 'this session only',
    profile.protected && 'protected',
    profile.readOnly && 'read-only',
  ]).join(', ')

/** A shortened identifier, enough to tell deployments of one name apart. */
export const identifierText = (id: string): string => shownText(id, { max: 40 })

/** The nickname of an integration in its environment; null if it has none. */
export function nicknameOf(id: string, nicknames: Readonly<Record<string, string>> = {}): string | null {
  const key = id.trim().toLowerCase()
  // A service may call an integration what every object has, such as "constructor".
  return Object.hasOwn(nicknames, key) ? (nicknames[key] ?? null) : null
}

/** Why a deployment is shown from the cache, as a clause. */
export const whyCached = ({ missingAt }: NonNullable<DeploymentDetail['fromCache']>): string =>
  missingAt === undefined
    ? "the service can't be reached"
    : 'the service has no deployment with this identifier'

/** The longest name of an environment or a view, in characters. */
const longestName = 60

/**
 * A name with a number, cut so that it isn't too long: the first that is free.
 *
 * @param ending what stands behind the name with a number; the numbers begin with 1
 */
export function freeName(
  name: string,
  isTaken: (name: string) => boolean,
  ending: (number: number) => string,
): string {
  for (let number = 1; ; number += 1) {
    const free = beginning(name, longestName - ending(number).length) + ending(number)
    if (!isTaken(free)) return free
  }
}

/** What a cut may leave of a character: half of it, a joiner, or a variation selector. */
const leftOver = /(?:[\ud800-\udbff]|\u200c|\u200d|\ufe0f)+$/

const beginning = (name: string, length: number): string =>
  name.length <= length ? name : name.slice(0, length).replace(leftOver, '').trimEnd()

/**
 * Letters of other alphabets, and digits, that most fonts draw like a Latin letter (after the confusables of UTS 39),
 * each with the letter that it looks like. Capitals are lower case by then: the pairs have what either case looks like.
 */
const pairs =
  'аaвbсcԁdеeҽeғfɡgһhнhіiјjкkӏlмmпnоoрpԛqгrѕsтtцuѵvԝwхxуyѡwαaβbεeηnιiκkνvοoρpτtυuχxγyωwıiոnօoսuցgհhյj0o1l'
const latin = new Map([...pairs.matchAll(/(.)(.)/gu)].map(([, letter = '', like = '']) => [letter, like]))

/** What a name looks like, in small Latin letters where it can be taken for them. Capital I is no l. */
const lookOf = (name: string): string =>
  [...foldName(name)].map((letter) => latin.get(letter) ?? letter).join('')

/** The name of `others` that a name can be taken for although it is another one; null for none. */
export function lookAlike(name: string, others: readonly string[]): string | null {
  const folded = foldName(name)
  const look = lookOf(name)
  return others.find((other) => foldName(other) !== folded && lookOf(other) === look) ?? null
}

/** Returns a function that checks whether a text contains all words of `search`, in any order and form. */
export function wordSearch(search: string): (text: string) => boolean {
  const words = searchWords(search)
  return (text) => {
    const folded = foldName(text)
    return words.every((word) => folded.includes(word))
  }
}

/** The words of a name: what has letters or digits. */
const wordsOf = (name: string): string[] => name.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []

/** The letters that may stand for a name, each two at most, the best ones first; none without a letter or a digit. */
function lettersFor(name: string): string[] {
  const words = wordsOf(name).map((word) => [...word])
  const [first = []] = words
  const begin = words.slice(1).map(([letter]) => letter!)
  const second = [...begin.slice(-1), ...begin, ...words.flatMap((word) => word.slice(1))]
  const usual = second[0] ?? ''
  return first.length === 0
    ? []
    : [usual, ...second, ...'23456789'].map((one) => `${first[0]}${one}`.toUpperCase())
}

/**
 * Two letters for an environment's badge: the first letters of the first and last word of its name, since names often
 * differ at their end ("Production EU", "Production US"), or the first two of a single word. Empty if the name has
 * neither a letter nor a digit.
 */
export const environmentLetters = (name: string): string => lettersFor(name)[0] ?? ''

/**
 * The letters of environments by their names. Where two would have the same, the later one's second letter is another
 * one of its name, those that begin a word first, or a digit; with hundreds of similar names, some are the same.
 */
export function distinctLetters(names: readonly string[]): Map<string, string> {
  const letters = new Map<string, string>()
  const taken = new Set<string>()
  for (const name of new Set(names)) {
    const own = lettersFor(name).find((one) => !taken.has(one)) ?? environmentLetters(name)
    taken.add(own)
    letters.set(name, own)
  }
  return letters
}

/** A list of at least this many environments has a search field. */
export const manyEnvironments = 12

/** The environments whose name and base URL contain every word of a text. */
export function findEnvironments(environments: readonly Environment[], text: string): readonly Environment[] {
  const matches = wordSearch(text)
  return environments.filter(({ name, profile }) => matches(`${name}\n${profile?.baseUrl ?? ''}`))
}
