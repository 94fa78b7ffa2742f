/** Elements where a key without Ctrl or Alt is text, or finds an item by its first letter. */
const takesText =
  'input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [role=menu], [role=listbox]'

/** Whether a key pressed in an element is meant for the text there. */
export const takesKeys = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.closest(takesText) !== null)
