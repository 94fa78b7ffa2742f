import { EditorView } from '@codemirror/view'

/** Marks differing lines and words with a background and an underline, because colour alone isn't enough. */
export const differenceTheme = EditorView.theme({
  '&.cm-merge-a .cm-changedLine, &.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--hover)' },
  '&.cm-merge-a .cm-changedText, &.cm-merge-b .cm-changedText': {
    background: 'none',
    textDecoration: 'underline 2px var(--accent-mark)',
    textUnderlineOffset: '3px',
  },
  '&.cm-merge-a .cm-changedLineGutter, &.cm-merge-b .cm-changedLineGutter': {
    background: 'var(--accent-mark)',
  },
  // Many fonts lack the library's character.
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '"⋮"' },
  '.cm-collapsedLines': { background: 'var(--sunken)', color: 'var(--text-muted)' },
})
