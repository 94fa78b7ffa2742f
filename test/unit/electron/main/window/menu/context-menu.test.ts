import { expect, it, vi } from 'vitest'
import { type Clicked, contextMenuTemplate } from '../../../../../../electron/main/window/menu/context-menu'

vi.mock('electron', () => ({ Menu: {} }))

const can = {
  canUndo: true,
  canRedo: false,
  canCut: true,
  canCopy: true,
  canPaste: true,
  canDelete: true,
  canSelectAll: true,
  canEditRichly: false,
}
const roles = (clicked: Partial<Clicked>) =>
  contextMenuTemplate({ isEditable: true, selectionText: '', editFlags: can, ...clicked })
    .filter(({ type }) => type !== 'separator')
    .map(({ role, enabled }) => (enabled ? role : `no ${String(role)}`))

it('edits a text field', () => {
  expect(roles({})).toEqual(['undo', 'no redo', 'cut', 'copy', 'paste', 'selectAll'])
})

it('copies a selected text elsewhere, and opens nowhere else', () => {
  expect(roles({ isEditable: false, selectionText: 'a text' })).toEqual(['copy'])
  expect(roles({ isEditable: false, selectionText: ' ' })).toEqual([])
})
