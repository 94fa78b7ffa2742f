/** Returns a function that checks whether a text contains all words of `search`, in any order and case. */
export function wordSearch(search: string): (text: string) => boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return (text) => {
    const lowerCase = text.toLowerCase()
    return words.every((word) => lowerCase.includes(word))
  }
}
