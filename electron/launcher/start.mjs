// npm start: sets up what is missing and starts the application. Arguments after "--" go to Electron.

import { ensureBuild } from './build.mjs'
import { ensureDependencies } from './dependencies.mjs'
import { checkDisplay, displaySwitches } from './display.mjs'
import { ensureElectronBinary, environmentFor } from './electron-binary.mjs'
import { checkNodeVersion } from './node-version.mjs'
import { projectFolder } from './places.mjs'
import { runInForeground } from './processes.mjs'
import { runCommand, say } from './steps.mjs'
import { ensureSystemLibraries } from './system-libraries.mjs'

await runCommand(async () => {
  checkNodeVersion()
  await checkDisplay()
  await ensureDependencies()
  const electron = await ensureElectronBinary()
  await ensureSystemLibraries(electron.path)
  await ensureBuild()
  return runInForeground(
    electron.path,
    [...sandboxSwitches(), ...displaySwitches(), projectFolder, ...process.argv.slice(2)],
    { env: environmentFor(electron) },
  )
})

/** Chromium refuses to run as root with its sandbox. */
function sandboxSwitches() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return []
  say('you are root: starting without Chromium’s sandbox (--no-sandbox). Prefer an ordinary user.')
  return ['--no-sandbox']
}
