import { type BrowserWindow, type ContextMenuParams, Menu, type MenuItemConstructorOptions } from 'electron'

type Item = MenuItemConstructorOptions

/** What of a right click decides about the menu. */
type Clicked = Pick<ContextMenuParams, 'isEditable' | 'selectionText' | 'editFlags'> &
  Partial<Pick<ContextMenuParams, 'formControlType'>>

/**
 * The menu for a right click: what edits a text field, or copies a selected text; nothing elsewhere. What a field
 * masks, such as the value of a secret, is neither copied nor cut. The items do what the keyboard does.
 */
function contextMenuTemplate(clicked: Clicked): Item[] {
  const { isEditable, selectionText, editFlags } = clicked
  const copy: Item = { role: 'copy', label: 'Copy', enabled: editFlags.canCopy }
  if (!isEditable) return selectionText.trim() === '' ? [] : [copy]
  const isMasked = clicked.formControlType === 'input-password'
  return [
    { role: 'undo', label: 'Undo', enabled: editFlags.canUndo },
    { role: 'redo', label: 'Redo', enabled: editFlags.canRedo },
    { type: 'separator' },
    ...(isMasked ? [] : [{ role: 'cut' as const, label: 'Cut', enabled: editFlags.canCut }, copy]),
    { role: 'paste', label: 'Paste', enabled: editFlags.canPaste },
    { type: 'separator' },
    { role: 'selectAll', label: 'Select all', enabled: editFlags.canSelectAll },
  ]
}

/** Opens that menu in a window, where the page has none of its own. */
export function offerContextMenu(window: BrowserWindow): void {
  window.webContents.on('context-menu', (_event, clicked) => {
    const template = contextMenuTemplate(clicked)
    if (template.length > 0) Menu.buildFromTemplate(template).popup({ window })
  })
}
