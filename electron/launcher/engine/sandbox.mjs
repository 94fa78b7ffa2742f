import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { run } from '../base/processes.mjs'
import { SetupFailure, say } from '../base/progress.mjs'
import { findProgram } from '../setup/system-libraries.mjs'

/**
 * What is asked of the system; tests hand in another one.
 *
 * @typedef {object} System
 * @property {NodeJS.Platform} platform
 * @property {number | undefined} user
 * @property {(path: string) => string | undefined} read text of a file, undefined where it cannot be read
 * @property {(path: string) => { owner: number, mode: number } | undefined} facts
 * @property {(path: string) => readonly string[]} list names in a folder, none where it cannot be read
 * @property {() => Promise<boolean>} canMakeNamespace whether an ordinary user's process gets a user namespace
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
  canMakeNamespace: async () => {
    const unshare = findProgram('unshare')
    return !unshare || (await run(unshare, ['--user', '--map-root-user', 'true'])).status === 0
  },
}

/**
 * Chromium's switches for the sandbox that this system allows. Its sandbox needs user namespaces or a helper that
 * belongs to root; where there are neither, it would crash with words about Chromium's sources.
 *
 * @param {string} electron path of the program
 * @param {readonly string[]} switches those that the user gives
 * @param {System} [system]
 * @returns {Promise<string[]>}
 * @throws {SetupFailure} where the system keeps Chromium from making its sandbox
 */
export async function sandboxSwitches(electron, switches, system = thisSystem) {
  if (system.platform !== 'linux' || switches.includes('--no-sandbox')) return []
  if (system.user === 0) {
    say('you are root: starting without Chromium’s sandbox (--no-sandbox). Prefer an ordinary user.')
    return ['--no-sandbox']
  }
  const helper = join(dirname(electron), 'chrome-sandbox')
  const facts = system.facts(helper)
  if (facts?.owner === 0 && (facts.mode & 0o4000) !== 0) return []
  const obstacle = await obstacleTo(electron, system)
  if (obstacle === null) return []
  throw new SetupFailure(
    `This system keeps Chromium from making its sandbox: ${obstacle}.`,
    `sudo chown root:root '${helper}' && sudo chmod 4755 '${helper}'`,
  )
}

/**
 * @param {string} electron
 * @param {System} system
 * @returns {Promise<string | null>} what forbids user namespaces, in words; null where they can be made
 */
async function obstacleTo(electron, system) {
  if (system.read('/proc/sys/kernel/unprivileged_userns_clone') === '0') {
    return 'user namespaces are for root only (kernel.unprivileged_userns_clone is 0)'
  }
  if (system.read('/proc/sys/user/max_user_namespaces') === '0') {
    return 'there are no user namespaces (user.max_user_namespaces is 0)'
  }
  // Since Ubuntu 23.10: only programs with a profile that says so may use what a user namespace gives.
  if (system.read('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') === '1') {
    return hasProfile(electron, system)
      ? null
      : 'AppArmor forbids it user namespaces (kernel.apparmor_restrict_unprivileged_userns is 1)'
  }
  return (await system.canMakeNamespace()) ? null : 'an ordinary user gets no user namespace here'
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
 * @returns {T | undefined} undefined where it fails
 */
function attempt(read) {
  try {
    return read()
  } catch {
    return undefined
  }
}
