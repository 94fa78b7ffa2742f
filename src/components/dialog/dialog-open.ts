/** Whether a dialog is open: it has the window to itself, so that nothing else may take what is typed in it away. */
export function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"]') !== null
}
