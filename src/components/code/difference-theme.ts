import { EditorView } from '@codemirror/view'

/** How differing lines and words are marked: by a background and, as colour alone tells nothing, by an underline. */
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
  // The library's sign is missing in many fonts.
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '"⋮"' },
  '.cm-collapsedLines': { background: 'var(--sunken)', color: 'var(--text-muted)' },
})
