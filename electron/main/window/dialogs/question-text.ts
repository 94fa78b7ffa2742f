import { shownText, writtenOut } from '@contract/core/untrusted-text'
import type { Question } from './questions'

/** So many lines of about so many Latin letters the systems' dialogs show on a small screen; they don't scroll. */
const room = { lines: 28, width: 60 } as const

/** About as wide as a Latin letter: letters as far as Arabic, their extensions, punctuation, what stands for the unseen. */
const narrow = /[\0-\u06ff\u1d00-\u1eff\u2000-\u218f\u2400-\u243f\u27e8\u27e9]/u

/** Single signs as wide as words: whole phrases in Arabic, cuneiform, long dashes. */
const veryWide = /[\p{Script=Cuneiform}\ufdf0-\ufdff\u2e3a\u2e3b]/u

/** More marks on one letter are not needed to write any language; they grow over the lines around it. */
const marks = /(\p{M}{3})(\p{M}+)/gu

/** How many Latin letters a text is as wide as, at most. */
function widthOf(text: string): number {
  let width = 0
  for (const character of text) width += narrow.test(character) ? 1 : veryWide.test(character) ? 10 : 2
  return width
}

/** Whether all of a question can be seen at once, its buttons included. */
export function fitsOnScreen({ message, detail }: Question): boolean {
  return [message, ...detail.split('\n')].reduce((sum, line) => sum + heightOf(line), 0) <= room.lines
}

/** How many lines a line takes: it is broken between words, and a word that is longer than a line in itself. */
function heightOf(line: string): number {
  let height = 1
  let used = 0
  for (const word of line.split(' ')) {
    const width = widthOf(word)
    if (used > 0 && used + 1 + width > room.width) {
      height += 1
      used = 0
    }
    used += (used > 0 ? 1 : 0) + width
    const broken = Math.max(0, Math.ceil(used / room.width) - 1)
    height += broken
    used -= broken * room.width
  }
  return height
}

/**
 * A name that a page may have chosen, for a line of its own in a question: it cannot seem to end before it does, nor cover
 * other lines.
 */
export const shownName = (name: string): string =>
  shownText(name, { most: 60 })
    .replace(/["“”„‟«»‹›＂「」『』〝〞〟]/gu, "'")
    .replace(marks, (_all, kept: string, others: string) => kept + [...others].map(writtenOut).join(''))
