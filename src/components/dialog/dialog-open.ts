/** Whether a dialog is open. Shortcuts of the window must not act while one is. */
export function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"]') !== null
}
