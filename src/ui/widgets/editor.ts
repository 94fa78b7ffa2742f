import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { yaml } from '@codemirror/lang-yaml'
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language'
import { type Diagnostic, linter, lintGutter, nextDiagnostic } from '@codemirror/lint'
import { EditorState, type Extension, type Text } from '@codemirror/state'
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view'
import { shownText } from '@contract/core/text'
import { tags } from '@lezer/highlight'
import { styleNonce } from '@/app/theme/style-nonce'

/** A language that the editor knows. */
export type CodeLanguage = 'json' | 'yaml'

/** The grammar that highlights a text and indents its new lines. */
export const grammarOf = (language: CodeLanguage): Extension => (language === 'json' ? json() : yaml())

/** The colours are CSS variables, so that one theme serves both appearances. */
const theme = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'transparent', minHeight: '0', flex: '0 1 auto' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--font-mono)',
    fontSize: 'var(--size-text-small)',
    lineHeight: '18px',
    minHeight: 'var(--code-min-height, 0)',
    maxHeight: 'var(--code-max-height, none)',
    overflow: 'auto',
  },
  '.cm-content': { padding: 'var(--size-space-2) 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 var(--size-space-3) 0 var(--size-space-1)' },
  '.cm-gutters': {
    color: 'var(--text-faint)',
    backgroundColor: 'transparent',
    border: 'none',
    userSelect: 'none',
  },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '24px', padding: '0 var(--size-space-1)' },
  '.cm-gutter-lint': { width: '16px' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '2px 0 0 4px' },
  '.cm-lint-marker': { width: '10px', height: '10px' },
  '.cm-lint-marker-error': {
    content: '""',
    display: 'block',
    marginTop: '2px',
    borderRadius: '50%',
    backgroundColor: 'var(--danger-mark)',
  },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--danger-mark) 1px',
    textUnderlineOffset: '3px',
  },
  '.cm-lintRange-active': { backgroundColor: 'var(--danger-soft)' },
  '.cm-lintPoint-error::after': { borderBottomColor: 'var(--danger-mark)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--pressed)' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--danger-soft)' },
  '.cm-specialChar': { color: 'var(--danger-text)' },
  '.cm-tooltip': {
    border: '1px solid var(--border)',
    borderRadius: 'var(--size-radius)',
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    boxShadow: 'var(--shadow)',
  },
  '.cm-diagnostic': {
    padding: 'var(--size-space-2) var(--size-space-3)',
    borderLeft: 'none',
    fontFamily: 'var(--font-text)',
    overflowWrap: 'anywhere',
  },
})

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--text-muted)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--syntax-text)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--syntax-value)' },
  { tag: [tags.content, tags.attributeValue], color: 'var(--syntax-text)' },
  { tag: [tags.comment, tags.lineComment, tags.meta], color: 'var(--text-faint)' },
  { tag: [tags.typeName, tags.labelName], color: 'var(--syntax-value)' },
])

/**
 * The extensions of every code editor, in any language. Tab isn't bound, so that the keyboard can leave the editor.
 * Ctrl+] and Ctrl+[ change the indent, and F8 goes to the next problem.
 */
export const basics: Extension = [
  EditorView.cspNonce.of(styleNonce),
  EditorState.tabSize.of(2),
  indentUnit.of('  '),
  EditorView.lineWrapping,
  lineNumbers(),
  history(),
  indentOnInput(),
  bracketMatching(),
  // In addition to the library's own, all other characters that change the direction of text or have no width.
  highlightSpecialChars({ addSpecialChars: /[\u202a-\u202c\u2060-\u2064\u2068]/g }),
  syntaxHighlighting(colours),
  linter(null),
  lintGutter(),
  keymap.of([...defaultKeymap, ...historyKeymap, { key: 'F8', run: nextDiagnostic }]),
  theme,
]

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
