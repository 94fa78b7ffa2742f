/** By so many of their first characters forms are found; a shorter one is looked for by itself. */
const indexedLength = 4

/** Texts that are looked for in others, by how many secrets each is a form of. */
export interface FormIndex {
  add: (form: string) => void
  /** A form that another secret has as well stays. */
  remove: (form: string) => void
  /** The length of the longest form that a text has at a place and that fits there; 0 where it has none. */
  longestAt: (text: string, at: number, fits: (length: number) => boolean) => number
}

/** Makes an empty index. Its work on a text does not grow with the number of forms. */
export function createFormIndex(): FormIndex {
  const forms = new Map<string, number>()
  /** How many forms have a length, by their first characters. */
  const lengths = new Map<string, Map<number, number>>()

  return {
    add(form) {
      const count = forms.get(form) ?? 0
      forms.set(form, count + 1)
      if (count > 0 || form.length < indexedLength) return
      const start = form.slice(0, indexedLength)
      const own = lengths.get(start)
      if (own) own.set(form.length, (own.get(form.length) ?? 0) + 1)
      else lengths.set(start, new Map([[form.length, 1]]))
    },

    remove(form) {
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
    },

    longestAt(text, at, fits) {
      const isAt = (length: number): boolean =>
        at + length <= text.length && forms.has(text.slice(at, at + length)) && fits(length)
      let longest = 0
      for (const length of lengths.get(text.slice(at, at + indexedLength))?.keys() ?? []) {
        if (length > longest && isAt(length)) longest = length
      }
      for (let length = indexedLength - 1; length > longest; length -= 1) {
        if (isAt(length)) return length
      }
      return longest
    },
  }
}
