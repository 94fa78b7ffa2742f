import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { printStatus, SetupFailure } from './base.mjs'
import { run } from './processes'

/** Ubuntu's switch since 23.10: only programs with an AppArmor profile that allows it may use a user namespace. */
const restriction = '/proc/sys/kernel/apparmor_restrict_unprivileged_userns'
const profiles = '/etc/apparmor.d'

/**
 * Chromium's switches for the sandbox that this system allows. The sandbox needs user namespaces or a helper that
 * belongs to root. Without either, Chromium would crash with a message about its own sources.
 *
 * @param electron path of the program
 * @param switches those that the user gives
 * @throws {SetupFailure} if the system keeps Chromium from creating its sandbox
 */
export async function sandboxSwitches(electron: string, switches: readonly string[]): Promise<string[]> {
  if (process.platform !== 'linux' || switches.includes('--no-sandbox')) return []
  if (process.getuid?.() === 0) {
    printStatus('you are root: starting without Chromium’s sandbox (--no-sandbox). Prefer an ordinary user.')
    return ['--no-sandbox']
  }
  const helper = join(dirname(electron), 'chrome-sandbox')
  const facts = statSync(helper, { throwIfNoEntry: false })
  if (facts?.uid === 0 && (facts.mode & 0o4000) !== 0) return []
  const obstacle = await obstacleTo(electron)
  if (obstacle === null) return []
  throw new SetupFailure(
    `This system keeps Chromium from creating its sandbox: ${obstacle}.`,
    `sudo chown root:root '${helper}' && sudo chmod 4755 '${helper}'`,
  )
}

/** What forbids user namespaces; null if nothing does. */
async function obstacleTo(electron: string): Promise<string | null> {
  if (read(restriction) !== '1') {
    const { exitCode } = await run('unshare', ['--user', '--map-root-user', 'true'])
    // Without the program, nothing is known.
    return exitCode ? "an ordinary user can't create a user namespace" : null
  }
  const isAllowed = readdirSync(profiles)
    .map((name) => read(join(profiles, name)))
    .some((profile) => profile.includes(electron) && /\b(?:userns|unconfined)\b/.test(profile))
  return isAllowed ? null : `AppArmor denies it user namespaces (${restriction} is 1)`
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return ''
  }
}
