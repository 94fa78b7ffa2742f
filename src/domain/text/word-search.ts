import { foldName, searchWords } from '@contract/core/text'

/** Returns a function that checks whether a text contains all words of `search`, in any order and form. */
export function wordSearch(search: string): (text: string) => boolean {
  const words = searchWords(search)
  return (text) => {
    const folded = foldName(text)
    return words.every((word) => folded.includes(word))
  }
}
