import type { Diagnostic } from '@codemirror/lint'
import type { Text } from '@codemirror/state'
import { shownText } from '@contract/core/text'

/** A problem in a text. Line and column count from 1. */
export interface TextProblem {
  line: number
  column: number
  message: string
}

/** The smallest single replacement that turns one text into another; null for the same text. */
export function replacement(
  before: string,
  after: string,
): { from: number; to: number; insert: string } | null {
  if (before === after) return null
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start += 1
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) }
}

/** The range that the editor marks: the word at the problem, or the last character of the line. */
export function diagnosticOf(text: Text, { line, column, message }: TextProblem): Diagnostic {
  const { from, to } = text.line(Math.min(Math.max(line, 1), text.lines))
  const start = Math.min(from + Math.max(column, 1) - 1, to)
  const word = /^(?:"(?:[^"\\]|\\.)*"|[^\s,:[\]{}]+|\S)/.exec(text.sliceString(start, to))?.[0] ?? ''
  return {
    from: word === '' ? Math.max(from, start - 1) : start,
    to: start + word.length,
    severity: 'error',
    message: shownText(message, { lines: true }),
  }
}
