// Shared by npm start and npm run dev: sets up what Slipway needs, and runs it.

import { printStatus } from './base.mjs'
import { displaySwitches, hasDisplay, startVirtualDisplay } from './display'
import { ensureElectronBinary, environmentFor } from './engine'
import { engineOutput } from './output'
import { interruption, runInForeground } from './processes'
import { sandboxSwitches } from './sandbox'
import { ensureDisplayPrograms, ensureLibraries } from './system'

/** Prints one line about the program that is started, on standard output. */
const printNotice = (text: string): void => void process.stdout.write(`slipway: ${text}\n`)

/**
 * Sets up everything that the application needs, except its build.
 *
 * @param userArguments the user's arguments for Electron
 * @returns runs the application in a folder, whose package.json names the main process's file, until it ends, and
 *   resolves with its exit status. Without a display, it gets a virtual one. `switches` come before the user's
 *   arguments; `stop` ends it
 * @throws {SetupFailure}
 */
export async function setUpApplication(
  userArguments: readonly string[],
): Promise<
  (folder: string, options?: { switches?: readonly string[]; stop?: AbortSignal }) => Promise<number>
> {
  const onDisplay = await hasDisplay()
  if (!onDisplay) {
    printNotice(
      'no display: running on a virtual display. To see the window, start in a desktop session or over ssh -X.',
    )
    await ensureDisplayPrograms()
  }
  const electron = await ensureElectronBinary(printNotice)
  await ensureLibraries(electron.path)
  const ownSwitches = [...(await sandboxSwitches(electron.path, userArguments)), ...displaySwitches()]

  return async (folder, { switches = [], stop } = {}) => {
    const args = [...ownSwitches, ...switches, folder, ...userArguments]
    const env = environmentFor(electron)
    const display = onDisplay ? null : await startVirtualDisplay()
    if (display) Object.assign(env, display.environment, { SLIPWAY_TELL_FIRST_LIST: '1' })
    const output = engineOutput((text) => void process.stderr.write(text))
    try {
      const status = await runInForeground(electron.path, args, { env, stop, takeErrors: output.take })
      output.close()
      if (status !== 0 && interruption() === undefined && !stop?.aborted) {
        printStatus(`Slipway ended with status ${status}. ${output.end()}`)
      }
      return status
    } finally {
      await display?.close()
    }
  }
}
