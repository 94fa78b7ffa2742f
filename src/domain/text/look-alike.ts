import { foldName } from '@contract/core/text'

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
