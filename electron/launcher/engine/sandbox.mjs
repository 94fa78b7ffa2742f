import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { run } from '../base/processes.mjs'
import { SetupFailure, printStatus } from '../base/progress.mjs'
import { findProgram } from '../setup/system-libraries.mjs'

/**
 * What the sandbox needs to know about the system. Tests pass a fake one.
 *
 * @typedef {object} System
 * @property {NodeJS.Platform} platform
 * @property {number | undefined} user
 * @property {(path: string) => string | undefined} read a file's text; undefined if it can't be read
 * @property {(path: string) => { owner: number, mode: number } | undefined} facts owner and mode of a file
 * @property {(path: string) => readonly string[]} list the names in a folder; none if it can't be read
 * @property {() => Promise<boolean>} canCreateNamespace whether an ordinary user's process can create a user namespace
 */

/** @type {System} */
const thisSystem = {
  platform: process.platform,
  user: process.getuid?.(),
  read: (path) => attempt(() => readFileSync(path, 'utf8').trim()),
  facts: (path) =>
    attempt(() => {
      const { uid, mode } = statSync(path)
      return { owner: uid, mode }
    }),
  list: (path) => attempt(() => readdirSync(path)) ?? [],
  canCreateNamespace: async () => {
    const unshare = findProgram('unshare')
    return !unshare || (await run(unshare, ['--user', '--map-root-user', 'true'])).status === 0
  },
}

/**
 * Chromium's switches for the sandbox that this system allows. The sandbox needs user namespaces or a helper that
 * belongs to root. Without either, Chromium would crash with a message about its own sources.
 *
 * @param {string} electron path of the program
 * @param {readonly string[]} switches those that the user gives
 * @param {System} [system]
 * @returns {Promise<string[]>}
 * @throws {SetupFailure} if the system keeps Chromium from creating its sandbox
 */
export async function sandboxSwitches(electron, switches, system = thisSystem) {
  if (system.platform !== 'linux' || switches.includes('--no-sandbox')) return []
  if (system.user === 0) {
    printStatus('you are root: starting without Chromium’s sandbox (--no-sandbox). Prefer an ordinary user.')
    return ['--no-sandbox']
  }
  const helper = join(dirname(electron), 'chrome-sandbox')
  const facts = system.facts(helper)
  if (facts?.owner === 0 && (facts.mode & 0o4000) !== 0) return []
  const obstacle = await obstacleTo(electron, system)
  if (obstacle === null) return []
  throw new SetupFailure(
    `This system keeps Chromium from creating its sandbox: ${obstacle}.`,
    `sudo chown root:root '${helper}' && sudo chmod 4755 '${helper}'`,
  )
}

/**
 * @param {string} electron
 * @param {System} system
 * @returns {Promise<string | null>} what forbids user namespaces, as a text; null if nothing does
 */
async function obstacleTo(electron, system) {
  if (system.read('/proc/sys/kernel/unprivileged_userns_clone') === '0') {
    return 'only root may create user namespaces (kernel.unprivileged_userns_clone is 0)'
  }
  if (system.read('/proc/sys/user/max_user_namespaces') === '0') {
    return 'user namespaces are disabled (user.max_user_namespaces is 0)'
  }
  // Since Ubuntu 23.10, only programs with an AppArmor profile that allows it may use a user namespace.
  if (system.read('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') === '1') {
    return hasProfile(electron, system)
      ? null
      : 'AppArmor denies it user namespaces (kernel.apparmor_restrict_unprivileged_userns is 1)'
  }
  return (await system.canCreateNamespace()) ? null : "an ordinary user can't create a user namespace"
}

/**
 * @param {string} electron
 * @param {System} system
 */
function hasProfile(electron, system) {
  const folder = '/etc/apparmor.d'
  return system
    .list(folder)
    .map((name) => system.read(join(folder, name)) ?? '')
    .some((profile) => profile.includes(electron) && /\b(?:userns|unconfined)\b/.test(profile))
}

/**
 * @template T
 * @param {() => T} read
 * @returns {T | undefined} undefined if it fails
 */
function attempt(read) {
  try {
    return read()
  } catch {
    return undefined
  }
}
