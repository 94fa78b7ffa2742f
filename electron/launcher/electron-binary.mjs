import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inProject } from './places.mjs'
import { lastLines, run } from './processes.mjs'
import { ensureStandIn, findStandIn, standIn } from './electron-stand-in.mjs'
import { SetupFailure, say, step } from './steps.mjs'

/**
 * @typedef {object} ElectronBinary
 * @property {string} path of the program
 * @property {'environment' | 'official' | 'stand-in'} origin
 */

/** How long GitHub may take to answer before it counts as out of reach. */
const probeTimeLimit = 4_000
const downloadTimeLimit = 15 * 60_000

/** Notes that this checkout runs on the stand-in, so that later starts do not ask GitHub again. */
const standInChosen = inProject('.cache/electron-stand-in-chosen')

/**
 * Finds an Electron binary or gets one. Looks, in this order, at ELECTRON_EXEC_PATH, at the official
 * distribution in node_modules/electron, at the official download, and, on Linux x64 where that is out of
 * reach, at the stand-in (see electron-stand-in.mjs).
 *
 * @returns {Promise<ElectronBinary>}
 * @throws {SetupFailure} when none can be had
 */
export async function ensureElectronBinary() {
  const given = process.env.ELECTRON_EXEC_PATH
  if (given) {
    if (existsSync(given)) return { path: given, origin: 'environment' }
    throw new SetupFailure(
      `ELECTRON_EXEC_PATH points at ${given}, which does not exist.`,
      'correct or unset ELECTRON_EXEC_PATH and run the command again.',
    )
  }

  const version = installedVersion()
  const official = findOfficial(version)
  if (official) return { path: official, origin: 'official' }

  if (standIn.fitsThisMachine && readText(standInChosen) === version) {
    const cached = findStandIn()
    if (cached) return choose(cached)
  }

  const problem = await download(version)
  const downloaded = findOfficial(version)
  if (downloaded) return { path: downloaded, origin: 'official' }

  if (!standIn.fitsThisMachine) {
    throw new SetupFailure(
      `Electron ${version} is not there and cannot be downloaded: ${problem}`,
      'connect to a network that reaches github.com (or set ELECTRON_MIRROR to a mirror of its downloads), or set ELECTRON_EXEC_PATH to an Electron binary, and run the command again.',
    )
  }
  say(`Electron ${version} cannot be downloaded: ${problem}`)
  const path = findStandIn() ?? (await ensureStandIn())
  mkdirSync(dirname(standInChosen), { recursive: true })
  writeFileSync(standInChosen, version)
  return choose(path)
}

/**
 * The environment in which tools find the chosen binary: electron-vite reads ELECTRON_EXEC_PATH, the electron
 * module and Playwright read ELECTRON_OVERRIDE_DIST_PATH.
 *
 * @param {ElectronBinary} electron
 * @returns {NodeJS.ProcessEnv} this process's environment with both set
 */
export function environmentFor(electron) {
  return {
    ...process.env,
    ELECTRON_EXEC_PATH: electron.path,
    ELECTRON_OVERRIDE_DIST_PATH: distributionFolder(electron.path),
  }
}

/**
 * @param {string} path of the stand-in
 * @returns {ElectronBinary}
 */
function choose(path) {
  say(
    `running on Electron ${standIn.version}, a stand-in for development and tests only; ` +
      'with access to github.com, "npx install-electron" gets the official one.',
  )
  return { path, origin: 'stand-in' }
}

/** @param {string} program */
function distributionFolder(program) {
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
 * Runs the electron package's own download, which checks what it gets.
 *
 * @param {string} version
 * @returns {Promise<string>} why there is no binary now, empty when there may be one
 */
async function download(version) {
  const unreachable = await probe(version)
  if (unreachable) return unreachable
  return step(`Downloading Electron ${version} (about 120 MB)`, async () => {
    const { status, output } = await run(process.execPath, [inProject('node_modules/electron/install.js')], {
      timeLimit: downloadTimeLimit,
    })
    return status === 0 ? '' : `the download ended with status ${status}.${lastLines(output, 4)}`
  })
}

/**
 * Asks the download's server for a small file. Behind a proxy nothing is asked, because Node's fetch goes
 * round it.
 *
 * @param {string} version
 * @returns {Promise<string>} why it is out of reach, empty when it answers
 */
async function probe(version) {
  if (process.env.HTTPS_PROXY || process.env.https_proxy) return ''
  const base = process.env.ELECTRON_MIRROR ?? 'https://github.com/electron/electron/releases/download/'
  const { host } = new URL(base)
  try {
    const answer = await fetch(new URL(`v${version}/SHASUMS256.txt`, base), {
      method: 'HEAD',
      signal: AbortSignal.timeout(probeTimeLimit),
    })
    return answer.ok ? '' : `${host} answers with status ${answer.status}.`
  } catch (error) {
    const reason =
      error instanceof Error && error.name === 'TimeoutError' ? 'no answer in time' : causeOf(error)
    return `${host} is out of reach (${reason}).`
  }
}

/** @param {unknown} error of fetch */
function causeOf(error) {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (cause instanceof Error) return 'code' in cause ? String(cause.code) : cause.message
  return String(cause)
}

/** @param {string} path */
function readText(path) {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return ''
  }
}
