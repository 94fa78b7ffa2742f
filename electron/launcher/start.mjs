// npm start: sets up what is missing and starts the application. Arguments after "--" go to Electron.

import { ensureBuild } from './build.mjs'
import { ensureDependencies } from './dependencies.mjs'
import { displaySwitches, forgetGoneDisplay, hasDisplay } from './display.mjs'
import { ensureElectronBinary, environmentFor } from './electron-binary.mjs'
import { engineOutput } from './engine-output.mjs'
import { checkNodeVersion } from './node-version.mjs'
import { projectFolder } from './places.mjs'
import { interruption, runInForeground } from './processes.mjs'
import { sandboxSwitches } from './sandbox.mjs'
import { runCommand, say, tell } from './steps.mjs'
import { ensureDisplayPrograms, ensureSystemLibraries } from './system-libraries.mjs'
import { startVirtualDisplay } from './virtual-display.mjs'

const given = process.argv.slice(2)

await runCommand(async () => {
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
  await ensureBuild()
  const switches = [...(await sandboxSwitches(electron.path, given)), ...displaySwitches()]
  const args = [...switches, projectFolder, ...given]
  if (onDisplay) return start(electron.path, args, environmentFor(electron))

  const display = await startVirtualDisplay()
  try {
    const environment = { ...environmentFor(electron), ...display.environment, SLIPWAY_TELL_FIRST_LIST: '1' }
    return await start(electron.path, args, environment)
  } finally {
    await display.close()
  }
})

/**
 * Runs Electron until its end. Where that is a failure which nobody asked for, what it said last is printed.
 *
 * @param {string} electron
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>} its exit status
 */
async function start(electron, args, env) {
  const output = engineOutput((text) => void process.stderr.write(text))
  const status = await runInForeground(electron, args, { env, takeErrors: output.take })
  output.close()
  if (status !== 0 && interruption() === undefined) {
    say(`Slipway ended with status ${status}. ${output.end()}`)
  }
  return status
}
