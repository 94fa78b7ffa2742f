// What every npm command runs first, `node electron/launcher/run.mjs COMMAND [ARGUMENTS]`: it refuses an old Node,
// installs the packages of the lockfile unless they are there, and goes on in TypeScript.

import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs'
import { inProject, npm, printStatus, SetupFailure, withProgress } from './base.mjs'

// A closed pipe or a full disk under the output doesn't end the command.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined)

try {
  checkNode()
  await ensureDependencies()
  const { register } = await import('tsx/esm/api')
  register()
  const { runCommand } = await import('./commands')
  process.exitCode = await runCommand(process.argv[2], process.argv.slice(3))
} catch (error) {
  if (error instanceof SetupFailure) {
    printStatus(`cannot go on. ${error.message}`)
    printStatus(`what to do: ${error.remedy}`)
  } else {
    printStatus(`unexpected failure in the launcher: ${error instanceof Error ? error.stack : String(error)}`)
  }
  process.exitCode = 1
}

function checkNode() {
  const { engines } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'))
  const oldest = engines.node.replace('>=', '')
  if (oldest.localeCompare(process.versions.node, 'en', { numeric: true }) <= 0) return
  throw new SetupFailure(
    `Slipway needs Node ${oldest} or newer; this is Node ${process.versions.node} (${process.execPath}).`,
    'install a current Node from https://nodejs.org and run the command again.',
  )
}

async function ensureDependencies() {
  const wanted = readPackages('package-lock.json')
  if (!wanted) {
    throw new SetupFailure('package-lock.json is missing or unreadable.', 'git checkout -- package-lock.json')
  }
  if (areInstalled(wanted)) return
  const folder = inProject('node_modules')
  // npm ci empties the folder first. Through a link it would empty another checkout's.
  if (existsSync(folder) && lstatSync(folder).isSymbolicLink()) {
    throw new SetupFailure(
      `node_modules is a link to ${realpathSync(folder)}, whose packages don't match this checkout's lockfile.`,
      'run npm ci in that folder, or remove the link and run the command again.',
    )
  }
  await withProgress('Installing dependencies by the lockfile (npm ci)', () =>
    npm([
      // The build's tools are needed even if NODE_ENV is "production", as in many containers.
      ...['ci', '--include=dev', '--no-audit', '--no-fund', '--prefer-offline'],
      // By default npm waits 10 to 60 s between attempts, and a missing network takes minutes to show.
      ...['--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'],
    ]),
  )
}

/**
 * Whether exactly the packages of the lockfile are installed, without optional ones for other platforms. npm writes its
 * record at the very end, so an interrupted installation never matches.
 *
 * @param {Packages} wanted
 */
function areInstalled(wanted) {
  const installed = readPackages('node_modules/.package-lock.json')
  if (!installed) return false
  for (const [path, { version, integrity, optional, devOptional }] of Object.entries(wanted)) {
    const found = installed[path]
    if (path === '' || (!found && (optional || devOptional))) continue
    if (!found || found.version !== version || found.integrity !== integrity) return false
    if (!existsSync(inProject(path, 'package.json'))) return false
  }
  return Object.keys(installed).every((path) => path in wanted)
}

/**
 * @typedef {Record<string, { version?: string, integrity?: string, optional?: boolean, devOptional?: boolean }>} Packages
 *
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
