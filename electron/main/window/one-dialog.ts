/** Shows a dialog of the system and gives what it gives; null, without showing it, while another one is open. */
export type ShowDialog = <T>(dialog: () => Promise<T>) => Promise<T | null>

/** Lets one dialog be open at a time, whoever shows it: a page that was taken over must not pile them up. */
export function oneDialogAtATime(): ShowDialog {
  let open = false
  return async (dialog) => {
    if (open) return null
    open = true
    try {
      return await dialog()
    } finally {
      open = false
    }
  }
}
