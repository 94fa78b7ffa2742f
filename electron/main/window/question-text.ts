import { shownText } from '@contract/untrusted-text'
import type { Question } from './questions'

/** So many lines of about so many characters the systems' dialogs show on a small screen; they don't scroll. */
const room = { lines: 28, characters: 60 } as const

/** Whether all of a question can be seen at once, its buttons included. */
export function fitsOnScreen({ message, detail }: Question): boolean {
  return [message, ...detail.split('\n')].reduce((sum, line) => sum + heightOf(line), 0) <= room.lines
}

/** How many lines a line takes: it is broken between words, and a word that is longer than a line in itself. */
function heightOf(line: string): number {
  let height = 1
  let used = 0
  for (const { length } of line.split(' ')) {
    if (used > 0 && used + 1 + length > room.characters) {
      height += 1
      used = 0
    }
    used += (used > 0 ? 1 : 0) + length
    const broken = Math.max(0, Math.ceil(used / room.characters) - 1)
    height += broken
    used -= broken * room.characters
  }
  return height
}

/** A name that a page may have chosen, for a line of its own in a question: it cannot seem to end before it does. */
export const shownName = (name: string): string =>
  shownText(name, { most: 60 }).replace(/["“”„‟«»‹›＂「」『』〝〞〟]/gu, "'")
