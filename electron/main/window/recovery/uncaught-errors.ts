import { dialog } from 'electron'

/**
 * Handles uncaught errors. A rejected promise leaves the application intact and is only reported. An exception may not,
 * so the operator decides whether to go on.
 */
export function watchForUncaughtErrors(report: (error: unknown) => void, quit: () => void): void {
  let asking = false
  process.on('unhandledRejection', report)
  process.on('uncaughtException', (error) => {
    report(error)
    if (asking) return
    asking = true
    void dialog
      .showMessageBox({
        type: 'error',
        title: 'Slipway',
        message: 'Something went wrong inside Slipway.',
        detail:
          'You can continue, but restart Slipway if it behaves unexpectedly. Activity shows what was sent.',
        buttons: ['Continue', 'Quit'],
        defaultId: 0,
        cancelId: 0,
      })
      .then(({ response }) => {
        asking = false
        if (response === 1) quit()
      })
      .catch(report)
  })
}
