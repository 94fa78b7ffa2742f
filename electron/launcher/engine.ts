import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { EnvHttpProxyAgent, fetch } from 'undici'
import { inProject, lastLines, printStatus, SetupFailure, withProgress } from './base.mjs'
import { run } from './system'
import { ensureTrialEngine, findTrialEngine, trialEngine } from './trial-engine'

export interface ElectronBinary {
  /** Of the program. */
  path: string
  isTrial: boolean
}

/**
 * Finds an Electron binary or downloads one. Tries, in this order: ELECTRON_EXEC_PATH, the official distribution in
 * node_modules/electron, the official download and, on Linux x64 if that is out of reach, the trial engine. Each start
 * tries the official download again, since the trial engine may be in use only because the network was down.
 *
 * @param notify gets a line if the trial engine is used, with the reason
 * @throws {SetupFailure} if there is none
 */
export async function ensureElectronBinary(notify = printStatus): Promise<ElectronBinary> {
  const fromEnvironment = process.env.ELECTRON_EXEC_PATH
  if (fromEnvironment) {
    if (existsSync(fromEnvironment)) return { path: fromEnvironment, isTrial: false }
    throw new SetupFailure(
      `ELECTRON_EXEC_PATH points at ${fromEnvironment}, which does not exist.`,
      'correct or unset ELECTRON_EXEC_PATH and run the command again.',
    )
  }

  const folder = inProject('node_modules/electron')
  const { version } = JSON.parse(readText(join(folder, 'package.json'))) as { version: string }
  const findOfficial = (): ElectronBinary | undefined => {
    const path = join(folder, 'dist', readText(join(folder, 'path.txt')))
    const isComplete = readText(join(folder, 'dist/version')).replace(/^v/, '') === version
    return isComplete && existsSync(path) ? { path, isTrial: false } : undefined
  }
  const found = findOfficial()
  if (found) return found

  // With the trial engine at hand, a start doesn't wait long for the other.
  const problem = (await probe(version, findTrialEngine() ? 1_000 : 4_000)) || (await download(version))
  const downloaded = findOfficial()
  if (downloaded) return downloaded
  if (!trialEngine.fitsThisMachine) {
    throw new SetupFailure(
      `Electron ${version} is missing and cannot be downloaded: ${problem}`,
      'connect to a network that reaches github.com (or set ELECTRON_MIRROR to a mirror of its downloads), or set ELECTRON_EXEC_PATH to an Electron binary, and run the command again.',
    )
  }
  const path = findTrialEngine() ?? (await ensureTrialEngine())
  notify(
    `running on a trial engine, Electron ${trialEngine.version} without security fixes, ` +
      `because the official Electron ${version} cannot be downloaded: ${problem}`,
  )
  return { path, isTrial: true }
}

/**
 * The environment in which tools find the chosen binary: electron-vite reads ELECTRON_EXEC_PATH, the electron module
 * and Playwright read ELECTRON_OVERRIDE_DIST_PATH. ELECTRON_RUN_AS_NODE, which terminals inside other Electron programs
 * set, is removed: with it there would be no window.
 */
export function environmentFor({ path }: ElectronBinary): NodeJS.ProcessEnv {
  const { ELECTRON_RUN_AS_NODE: _asNode, ...environment } = process.env
  return {
    ...environment,
    ELECTRON_EXEC_PATH: path,
    ELECTRON_OVERRIDE_DIST_PATH: distributionFolder(path),
  }
}

/** The folder of an Electron, with its licences and its version. */
export function distributionFolder(program: string): string {
  const bundle = program.lastIndexOf('Electron.app')
  return bundle >= 0 ? program.slice(0, bundle) : dirname(program)
}

/**
 * Checks whether the server of Electron's downloads can be reached, through the environment's proxy if there is one.
 *
 * @returns why it is out of reach, one sentence; empty if it answers
 */
export async function probe(version: string, limitMs: number): Promise<string> {
  const base = process.env.ELECTRON_MIRROR ?? 'https://github.com/electron/electron/releases/download/'
  const { host } = new URL(base)
  const dispatcher = new EnvHttpProxyAgent()
  try {
    const { ok, status } = await fetch(new URL(`v${version}/SHASUMS256.txt`, base), {
      method: 'HEAD',
      signal: AbortSignal.timeout(limitMs),
      dispatcher,
    })
    return ok ? '' : `${host} answers with status ${status}.`
  } catch (error) {
    let reason = error as NodeJS.ErrnoException
    while (reason.cause instanceof Error) reason = reason.cause
    const text = reason.name === 'TimeoutError' ? `no answer in ${limitMs / 1_000} s` : reason.message
    return `${host} is out of reach (${text || reason.code}).`
  } finally {
    void dispatcher.destroy()
  }
}

/**
 * Runs the electron package's own download, which verifies the file.
 *
 * @returns why there is no binary now; empty if the download succeeded
 */
const download = (version: string): Promise<string> =>
  withProgress(`Downloading Electron ${version} (about 120 MB)`, async () => {
    const { failed, all } = await run(process.execPath, [inProject('node_modules/electron/install.js')], {
      timeout: 15 * 60_000,
      env: { ELECTRON_GET_USE_PROXY: '1' },
    })
    return failed ? `the download failed.${lastLines(String(all), 4)}` : ''
  })

const readText = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8').trim() : '')
