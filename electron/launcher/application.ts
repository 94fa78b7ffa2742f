// Shared by npm start and npm run dev: sets up what Slipway needs, and runs it. What Chromium and the system's libraries
// report about themselves goes to a file, which stays if the program fails. The terminal shows the rest.

import { createWriteStream, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inProject, lastLines, printStatus, SetupFailure } from './base.mjs'
import { displaySwitches, hasDisplay, startVirtualDisplay } from './display'
import { ensureElectronBinary, environmentFor } from './engine'
import { ensureDisplayPrograms, ensureLibraries, interruption, run, runInForeground } from './system'

/** Prints one line about the program that is started, on standard output. */
const printNotice = (text: string): void => void process.stdout.write(`slipway: ${text}\n`)

/**
 * Sets up everything that the application needs, except its build.
 *
 * @param userArguments the user's arguments for Electron
 * @returns runs the application in a folder, whose package.json names the main process's file, until it ends, and
 *   resolves with its exit status. Without a display, it gets a virtual one. `switches` come before the user's
 *   arguments; `stop` ends it
 * @throws {SetupFailure}
 */
export async function setUpApplication(
  userArguments: readonly string[],
): Promise<
  (folder: string, options?: { switches?: readonly string[]; stop?: AbortSignal }) => Promise<number>
> {
  const onDisplay = await hasDisplay()
  if (!onDisplay) {
    printNotice(
      'no display: running on a virtual display. To see the window, start in a desktop session or over ssh -X.',
    )
    await ensureDisplayPrograms()
  }
  const electron = await ensureElectronBinary(printNotice)
  await ensureLibraries(electron.path)
  const ownSwitches = [...(await sandboxSwitches(electron.path, userArguments)), ...displaySwitches()]

  return async (folder, { switches = [], stop } = {}) => {
    const args = [...ownSwitches, ...switches, folder, ...userArguments]
    const env = environmentFor(electron)
    const display = onDisplay ? null : await startVirtualDisplay()
    if (display) Object.assign(env, display.environment, { SLIPWAY_TELL_FIRST_LIST: '1' })
    const output = engineOutput()
    try {
      const status = await runInForeground(electron.path, args, { env, stop, takeErrors: output.take })
      const end = output.close()
      if (status !== 0 && interruption() === undefined && !stop?.aborted) {
        printStatus(`Slipway ended with status ${status}. ${end}`)
      } else output.remove()
      return status
    } finally {
      await display?.close()
    }
  }
}

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

/** The folder of the logs. Each start has a file of its own, since several may run at once. */
export const engineLogs = inProject('.cache/engine-logs')

const noise = [
  // Chromium's own: [1234:0131/235959.123456:ERROR:bus.cc(399)], or with the level before the file only.
  /^\[\d+(?::\d+)?:\d{4}\/\d{6}(?:\.\d+)?:(?!FATAL)[A-Z]+\d*:[^\]]*\]/,
  // Gtk, GLib and dconf: (electron:1234): Gtk-WARNING **: ..., and GLib's newer form without a program.
  /^\([^)]*:\d+\): [\w-]+-(?:WARNING|CRITICAL|Message) \*\*:/i,
  /^(?:Gtk|GLib|dconf|Gdk)[\w-]*-(?:WARNING|CRITICAL|Message)/i,
  // ANGLE, where the display can't be used.
  /^ERR: \w+\.cpp:\d+ \(/,
  // Mesa, Vulkan and VA-API, where there is no graphics card.
  /^(?:libEGL|MESA|libva|libGL)\b/,
  /^Warning: (?:vkCreateInstance|loader_)/,
  /^Failed to create .* for shader cache \(.*\)---disabling\.$/,
  // The frames of a stack that Chromium prints under a report.
  /^#\d+ 0x[0-9a-f]+/,
]

/** Whether a line is a report of Chromium or of a library about itself. A fatal one isn't noise: it ends the program. */
export const isNoise = (line: string): boolean =>
  line.trim() === '' || noise.some((pattern) => pattern.test(line))

/**
 * Sorts the lines that Electron writes to standard error: noise goes into the log only, everything else also to the
 * terminal.
 *
 * @returns `close` gives the last lines, for a failure's message, and names the log; `remove` removes it
 */
export function engineOutput(): { take: (line: string) => void; close: () => string; remove: () => void } {
  mkdirSync(engineLogs, { recursive: true })
  const file = join(engineLogs, `engine-${process.pid}.log`)
  // A full disk ends the log, not the program.
  const log = createWriteStream(file, { mode: 0o600 }).on('error', () => undefined)
  let recent: string[] = []
  return {
    take(line) {
      recent = [...recent, line].slice(-15)
      log.write(`${line}\n`)
      if (!isNoise(line)) process.stderr.write(`${line}\n`)
    },
    close() {
      log.end()
      return recent.length === 0
        ? 'It printed nothing.'
        : `The end of ${file}:${lastLines(recent.join('\n'))}`
    },
    remove: () => rmSync(file, { force: true }),
  }
}
