import { lstatSync, readFileSync, realpathSync } from 'node:fs'
import { isNetworkFailure, npm } from '../base/npm.mjs'
import { inProject } from '../base/paths.mjs'
import { lastLines } from '../base/processes.mjs'
import { SetupFailure, withProgress } from '../base/progress.mjs'

/** The build's tools are needed even if NODE_ENV is "production", as in many containers. */
const withTools = '--include=dev'

/** By default npm waits 10 to 60 s between attempts, and a missing network takes minutes to show. */
const shortRetries = ['--prefer-offline', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000']

/**
 * @typedef {Record<string, { version?: string, integrity?: string, optional?: boolean, devOptional?: boolean }>} Packages
 */

/**
 * Installs the packages of the lockfile, unless exactly these are already installed.
 *
 * @throws {SetupFailure} when npm fails
 */
export async function ensureDependencies() {
  const wanted = readPackages('package-lock.json')
  if (!wanted) {
    throw new SetupFailure('package-lock.json is missing or unreadable.', 'git checkout -- package-lock.json')
  }
  const installed = readPackages('node_modules/.package-lock.json')
  if (installed && matches(wanted, installed)) return
  refuseLink()
  await withProgress('Installing dependencies by the lockfile (npm ci)', async (progress) => {
    void npm(['ping', '--fetch-retries=0']).then((ping) => {
      if (isNetworkFailure(ping.output)) progress('the npm registry does not answer so far')
    })
    const { status, output } = await npm(['ci', withTools, '--no-audit', '--no-fund', ...shortRetries])
    if (status === 0) return
    throw isNetworkFailure(output)
      ? new SetupFailure(
          `npm cannot reach its registry, so the dependencies are not installed.${lastLines(output)}`,
          'check the network connection, or set a proxy (npm config set proxy http://HOST:PORT) or another registry (npm config set registry URL), and run the command again.',
        )
      : new SetupFailure(
          `npm ci ended with status ${status}.${lastLines(output)}`,
          'fix what npm reports above and run the command again.',
        )
  })
}

/**
 * Whether npm's record of an installation matches the lockfile. Packages for other platforms are optional in the
 * lockfile and may be absent. npm writes its record at the very end, so an interrupted installation never matches.
 *
 * @param {Packages} wanted `packages` of package-lock.json
 * @param {Packages} installed `packages` of node_modules/.package-lock.json
 * @returns {boolean}
 */
export function matches(wanted, installed) {
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '') continue
    const found = installed[path]
    if (!found) {
      if (entry.optional || entry.devOptional) continue
      return false
    }
    if (found.version !== entry.version || found.integrity !== entry.integrity) return false
  }
  return Object.keys(installed).every((path) => path in wanted)
}

/**
 * @param {string} path of a lockfile in the project
 * @returns {Packages | undefined} undefined if it is missing or no lockfile
 */
function readPackages(path) {
  try {
    return JSON.parse(readFileSync(inProject(path), 'utf8')).packages
  } catch {
    return undefined
  }
}

/** npm ci empties node_modules first. Through a link it would empty another checkout's. */
function refuseLink() {
  const path = inProject('node_modules')
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return
  throw new SetupFailure(
    `node_modules is a link to ${realpathSync(path)}, whose packages don't match this checkout's lockfile.`,
    'run npm ci in that folder, or remove the link and run the command again.',
  )
}
