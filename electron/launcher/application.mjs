// What npm start and npm run dev have in common: the set-up of what Slipway runs on, and its run.

import { ensureDependencies } from './setup/dependencies.mjs'
import { displaySwitches, forgetGoneDisplay, hasDisplay } from './setup/display.mjs'
import { ensureElectronBinary, environmentFor } from './engine/electron-binary.mjs'
import { engineOutput } from './engine/output.mjs'
import { checkNodeVersion } from './base/node-version.mjs'
import { interruption, runInForeground } from './base/processes.mjs'
import { sandboxSwitches } from './engine/sandbox.mjs'
import { say, tell } from './base/progress.mjs'
import { ensureDisplayPrograms, ensureSystemLibraries } from './setup/system-libraries.mjs'
import { startVirtualDisplay } from './setup/virtual-display.mjs'

/**
 * Runs the application in a folder until its end, on a virtual display of its own where there is no other.
 *
 * @callback RunApplication
 * @param {string} folder with a package.json that names the main process's file
 * @param {{ switches?: readonly string[], stop?: AbortSignal }} [options] `switches` come before those that the user
 *   gives; `stop` ends the application
 * @returns {Promise<number>} its exit status
 */

/**
 * Sets up all that the application needs but its build.
 *
 * @param {readonly string[]} given Electron's arguments that the user gives
 * @returns {Promise<RunApplication>}
 * @throws {import('./base/progress.mjs').SetupFailure}
 */
export async function setUpApplication(given) {
  checkNodeVersion()
  await forgetGoneDisplay()
  const onDisplay = await hasDisplay()
  if (!onDisplay) {
    tell(
      'no display: running on a virtual display. To see the window, start in a desktop session or over ssh -X.',
    )
    await ensureDisplayPrograms()
  }
  await ensureDependencies()
  const electron = await ensureElectronBinary(tell)
  await ensureSystemLibraries(electron.path)
  const ownSwitches = [...(await sandboxSwitches(electron.path, given)), ...displaySwitches()]

  return async (folder, { switches = [], stop } = {}) => {
    const args = [...ownSwitches, ...switches, folder, ...given]
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
 * Runs Electron until its end. Where that is a failure which nobody asked for, what it said last is printed.
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
    say(`Slipway ended with status ${status}. ${output.end()}`)
  }
  return status
}
