// Shared by npm start and npm run dev: sets up what Slipway needs, and runs it.

import { ensureDependencies } from './setup/dependencies.mjs'
import { displaySwitches, removeUnreachableDisplay, hasDisplay } from './setup/display.mjs'
import { ensureElectronBinary, environmentFor } from './engine/electron-binary.mjs'
import { engineOutput } from './engine/output.mjs'
import { checkNodeVersion } from './base/node-version.mjs'
import { interruption, runInForeground } from './base/processes.mjs'
import { sandboxSwitches } from './engine/sandbox.mjs'
import { printNotice, printStatus } from './base/progress.mjs'
import { ensureDisplayPrograms, ensureSystemLibraries } from './setup/system-libraries.mjs'
import { startVirtualDisplay } from './setup/virtual-display.mjs'

/**
 * Runs the application in a folder until it ends. Without a display, it gets a virtual one.
 *
 * @callback RunApplication
 * @param {string} folder has a package.json that names the main process's file
 * @param {{ switches?: readonly string[], stop?: AbortSignal }} [options] `switches` come before the user's arguments;
 *   `stop` ends the application
 * @returns {Promise<number>} its exit status
 */

/**
 * Sets up everything that the application needs, except its build.
 *
 * @param {readonly string[]} userArguments the user's arguments for Electron
 * @returns {Promise<RunApplication>}
 * @throws {import('./base/progress.mjs').SetupFailure}
 */
export async function setUpApplication(userArguments) {
  checkNodeVersion()
  await removeUnreachableDisplay()
  const onDisplay = await hasDisplay()
  if (!onDisplay) {
    printNotice(
      'no display: running on a virtual display. To see the window, start in a desktop session or over ssh -X.',
    )
    await ensureDisplayPrograms()
  }
  await ensureDependencies()
  const electron = await ensureElectronBinary(printNotice)
  await ensureSystemLibraries(electron.path)
  const ownSwitches = [...(await sandboxSwitches(electron.path, userArguments)), ...displaySwitches()]

  return async (folder, { switches = [], stop } = {}) => {
    const args = [...ownSwitches, ...switches, folder, ...userArguments]
    if (onDisplay) return run(electron.path, args, { env: environmentFor(electron), stop })

    const display = await startVirtualDisplay()
    try {
      const env = { ...environmentFor(electron), ...display.environment, SLIPWAY_TELL_FIRST_LIST: '1' }
      return await run(electron.path, args, { env, stop })
    } finally {
      await display.close()
    }
  }
}

/**
 * Runs Electron until it ends. Prints its last output after a failure, unless the user or `stop` caused it.
 *
 * @param {string} electron
 * @param {readonly string[]} args
 * @param {{ env: NodeJS.ProcessEnv, stop?: AbortSignal }} options
 * @returns {Promise<number>} its exit status
 */
async function run(electron, args, options) {
  const output = engineOutput((text) => void process.stderr.write(text))
  const status = await runInForeground(electron, args, { ...options, takeErrors: output.take })
  output.close()
  if (status !== 0 && interruption() === undefined && !options.stop?.aborted) {
    printStatus(`Slipway ended with status ${status}. ${output.end()}`)
  }
  return status
}
