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
