import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { probe } from './download-probe.mjs'
import { inProject } from '../base/paths.mjs'
import { lastLines, run } from '../base/processes.mjs'
import { ensureTrialEngine, findTrialEngine, trialEngine } from './trial-engine.mjs'
import { SetupFailure, printStatus, withProgress } from '../base/progress.mjs'

/**
 * @typedef {object} ElectronBinary
 * @property {string} path of the program
 * @property {'environment' | 'official' | 'trial-engine'} origin
 */

const downloadTimeLimit = 15 * 60_000

/** How long to wait for the download's server if the trial engine is already here, in milliseconds. */
const shortWait = 1_000

/**
 * Finds an Electron binary or downloads one. Tries, in this order: ELECTRON_EXEC_PATH, the official distribution in
 * node_modules/electron, the official download and, on Linux x64 if that is out of reach, the trial engine. Each start
 * tries the official download again, since the trial engine may be in use only because the network was down.
 *
 * @param {(text: string) => void} [notify] gets a line if the trial engine is used, with the reason
 * @returns {Promise<ElectronBinary>}
 * @throws {SetupFailure} if there is none
 */
export async function ensureElectronBinary(notify = printStatus) {
  const fromEnvironment = process.env.ELECTRON_EXEC_PATH
  if (fromEnvironment) {
    if (existsSync(fromEnvironment)) return { path: fromEnvironment, origin: 'environment' }
    throw new SetupFailure(
      `ELECTRON_EXEC_PATH points at ${fromEnvironment}, which does not exist.`,
      'correct or unset ELECTRON_EXEC_PATH and run the command again.',
    )
  }

  const version = installedVersion()
  const official = findOfficial(version)
  if (official) return { path: official, origin: 'official' }

  const cached = trialEngine.fitsThisMachine ? findTrialEngine() : undefined
  const unreachable = await probe(version, cached ? shortWait : undefined)
  const problem = unreachable || (await download(version))
  const downloaded = findOfficial(version)
  if (downloaded) return { path: downloaded, origin: 'official' }

  if (!trialEngine.fitsThisMachine) {
    throw new SetupFailure(
      `Electron ${version} is missing and cannot be downloaded: ${problem}`,
      'connect to a network that reaches github.com (or set ELECTRON_MIRROR to a mirror of its downloads), or set ELECTRON_EXEC_PATH to an Electron binary, and run the command again.',
    )
  }
  const path = cached ?? (await ensureTrialEngine())
  notify(
    `running on a trial engine, Electron ${trialEngine.version} without security fixes, ` +
      `because the official Electron ${version} cannot be downloaded: ${problem}`,
  )
  return { path, origin: 'trial-engine' }
}

/**
 * The environment in which tools find the chosen binary: electron-vite reads ELECTRON_EXEC_PATH, the electron module
 * and Playwright read ELECTRON_OVERRIDE_DIST_PATH. ELECTRON_RUN_AS_NODE, which terminals inside other Electron programs
 * set, is removed: with it there would be no window.
 *
 * @param {ElectronBinary} electron
 * @returns {NodeJS.ProcessEnv} this process's environment with the first two set and without the last
 */
export function environmentFor(electron) {
  const { ELECTRON_RUN_AS_NODE: _asNode, ...environment } = process.env
  return {
    ...environment,
    ELECTRON_EXEC_PATH: electron.path,
    ELECTRON_OVERRIDE_DIST_PATH: distributionFolder(electron.path),
  }
}

/**
 * The folder of an Electron, with its licences and its version.
 *
 * @param {string} program
 */
export function distributionFolder(program) {
  const bundle = program.lastIndexOf('Electron.app')
  return bundle >= 0 ? program.slice(0, bundle) : dirname(program)
}

/** The version of the electron package in node_modules. */
function installedVersion() {
  return JSON.parse(readFileSync(inProject('node_modules/electron/package.json'), 'utf8')).version
}

/**
 * @param {string} version
 * @returns {string | undefined} the program of a complete official distribution of that version
 */
function findOfficial(version) {
  const folder = inProject('node_modules/electron')
  const program = readText(join(folder, 'path.txt'))
  if (!program || readText(join(folder, 'dist/version')).replace(/^v/, '') !== version) return undefined
  const path = join(folder, 'dist', program)
  return existsSync(path) ? path : undefined
}

/**
 * Runs the electron package's own download, which verifies the file.
 *
 * @param {string} version
 * @returns {Promise<string>} why there is no binary now; empty if the download succeeded
 */
async function download(version) {
  return withProgress(`Downloading Electron ${version} (about 120 MB)`, async () => {
    const { status, output } = await run(process.execPath, [inProject('node_modules/electron/install.js')], {
      timeLimit: downloadTimeLimit,
    })
    return status === 0 ? '' : `the download ended with status ${status}.${lastLines(output, 4)}`
  })
}

/** @param {string} path */
function readText(path) {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return ''
  }
}
