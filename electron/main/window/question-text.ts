import { shownText, writtenOut } from '@contract/core/text'

/** A question to the operator outside the page. */
export interface Question {
  message: string
  detail: string
  /** The label of the button that agrees. */
  agree: string
  /** The label of the other button; "Cancel" by default. */
  decline?: string
}

/**
 * Asks the operator. Gives whether they agree; null without an answer: another dialog is open, one was just declined,
 * or the window was closed.
 */
export type Ask = (question: Question) => Promise<boolean | null>

/** How many lines of how many Latin letters a system dialog shows on a small screen. These dialogs don't scroll. */
const room = { lines: 28, width: 60 } as const

/**
 * About as wide as a Latin letter: letters up to Arabic and their extensions, punctuation, and the escapes of invisible
 * characters.
 */
const narrow = /[\0-\u06ff\u1d00-\u1eff\u2000-\u218f\u2400-\u243f\u27e8\u27e9]/u

/** Single characters as wide as words: whole phrases in Arabic, cuneiform, long dashes. */
const veryWide = /[\p{Script=Cuneiform}\ufdf0-\ufdff\u2e3a\u2e3b]/u

/** No language needs more marks on one letter. They would overlap the lines around it. */
const marks = /(\p{M}{3})(\p{M}+)/gu

/** The width of a text, in Latin letters, at most. */
function widthOf(text: string): number {
  let width = 0
  for (const character of text) width += narrow.test(character) ? 1 : veryWide.test(character) ? 10 : 2
  return width
}

/** Whether all of a question is visible at once, its buttons included. */
export function fitsOnScreen({ message, detail }: Question): boolean {
  return [message, ...detail.split('\n')].reduce((sum, line) => sum + heightOf(line), 0) <= room.lines
}

/** How many lines a line takes: it breaks between words, and within a word that is longer than a line. */
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
 * A name that a page may have chosen, for a line of its own in a question. It can't appear to end early or overlap
 * other lines.
 */
export const shownName = (name: string): string =>
  shownText(name, { max: 60 })
    .replace(/["“”„‟«»‹›＂「」『』〝〞〟]/gu, "'")
    .replace(marks, (_all, base: string, others: string) => base + [...others].map(writtenOut).join(''))
