/** Whether a dialog is open. The window's shortcuts are off while one is. */
export function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"]') !== null
}
