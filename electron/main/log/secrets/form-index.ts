/**
 * Forms are found by their first characters: by the largest of these lengths that they have. Few positions of an
 * ordinary text match that many characters.
 */
const startLengths = [64, 16, 4, 1] as const

/** An index of the forms to find in texts. Counts how many secrets have each form. */
export interface FormIndex {
  add: (form: string) => void
  /** Removes a form, unless another secret has it as well. */
  remove: (form: string) => void
  /** The length of the longest form at a position of a text that `fits`; 0 if there is none. */
  longestAt: (text: string, at: number, fits: (length: number) => boolean) => number
  isEmpty: () => boolean
  /**
   * How many characters of texts were compared with forms so far. Only positions where a form may start count. Each
   * adds more, the more different lengths the forms with that start have.
   */
  readonly compared: number
}

/** Creates an empty index. */
export function createFormIndex(): FormIndex {
  const forms = new Map<string, number>()
  /** How many forms have each length, by their start. If only one form has a start, just its length. */
  const lengths = new Map<string, Map<number, number> | number>()
  let compared = 0

  return {
    get compared() {
      return compared
    },

    add(form) {
      const count = forms.get(form) ?? 0
      forms.set(form, count + 1)
      if (count > 0) return
      const start = startOf(form)
      const own = lengths.get(start)
      if (own === undefined) lengths.set(start, form.length)
      else if (typeof own !== 'number') own.set(form.length, (own.get(form.length) ?? 0) + 1)
      else if (own === form.length) lengths.set(start, new Map([[own, 2]]))
      else
        lengths.set(
          start,
          new Map([
            [own, 1],
            [form.length, 1],
          ]),
        )
    },

    remove(form) {
      const count = (forms.get(form) ?? 1) - 1
      if (count > 0) {
        forms.set(form, count)
        return
      }
      if (!forms.delete(form)) return
      const start = startOf(form)
      const own = lengths.get(start)
      if (own === undefined || typeof own === 'number') {
        lengths.delete(start)
        return
      }
      const others = (own.get(form.length) ?? 1) - 1
      if (others > 0) own.set(form.length, others)
      else own.delete(form.length)
      if (own.size === 0) lengths.delete(start)
    },

    isEmpty: () => forms.size === 0,

    longestAt(text, at, fits) {
      for (const startLength of startLengths) {
        let longest = 0
        const own = lengths.get(text.slice(at, at + startLength))
        if (own === undefined) continue
        for (const length of typeof own === 'number' ? [own] : own.keys()) {
          if (length <= longest || at + length > text.length) continue
          compared += length
          if (forms.has(text.slice(at, at + length)) && fits(length)) longest = length
        }
        // Forms with a shorter start are shorter.
        if (longest > 0) return longest
      }
      return 0
    },
  }
}

function startOf(form: string): string {
  return form.slice(
    0,
    startLengths.find((length) => length <= form.length),
  )
}
