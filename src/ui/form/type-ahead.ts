/**
 * The item to which typing moves, or null. Further letters narrow the search. The same letter again moves to the next
 * item that begins with it. Items that can't be chosen have no label.
 *
 * @param current -1 if there is none
 */
export function itemByTyping(
  labels: readonly (string | null)[],
  current: number,
  typed: string,
): number | null {
  const text = typed.toLocaleLowerCase()
  const repeated = [...text].every((letter) => letter === text[0])
  const prefix = repeated ? text.slice(0, 1) : text
  const first = repeated ? current + 1 : Math.max(0, current)
  for (let step = 0; step < labels.length; step++) {
    const index = (first + step) % labels.length
    if (labels[index]?.toLocaleLowerCase().startsWith(prefix)) return index
  }
  return null
}

/** A pause longer than this begins a new text. */
const pauseMs = 600

/** Joins letters that follow each other quickly into the text that an item is found by. Times are those of events. */
export function createTypeAhead() {
  let text = ''
  let ends = -Infinity
  const isTyping = (now: number): boolean => now <= ends
  return {
    /** Whether a key at this time continues the text, so that a space or a digit is part of it. */
    isTyping,
    /** Adds a letter. Returns the text so far. */
    add(letter: string, now: number): string {
      text = isTyping(now) ? text + letter : letter
      ends = now + pauseMs
      return text
    },
    /** The next letter begins a new text. */
    end(): void {
      ends = -Infinity
    },
  }
}
