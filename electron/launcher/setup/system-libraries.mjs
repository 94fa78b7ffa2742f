import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { inProject } from '../base/paths.mjs'
import { lastLines, run } from '../base/processes.mjs'
import { SetupFailure, printStatus, withProgress } from '../base/progress.mjs'

/**
 * Debian packages by the shared library that they contain. Later releases renamed some for 64-bit time
 * (libgtk-3-0t64); the installation picks the name of this release.
 *
 * @type {Readonly<Record<string, string>>}
 */
const packageOfLibrary = {
  'libasound.so.2': 'libasound2',
  'libatk-1.0.so.0': 'libatk1.0-0',
  'libatk-bridge-2.0.so.0': 'libatk-bridge2.0-0',
  'libatspi.so.0': 'libatspi2.0-0',
  'libcairo.so.2': 'libcairo2',
  'libcups.so.2': 'libcups2',
  'libdbus-1.so.3': 'libdbus-1-3',
  'libdrm.so.2': 'libdrm2',
  'libexpat.so.1': 'libexpat1',
  'libgbm.so.1': 'libgbm1',
  'libgio-2.0.so.0': 'libglib2.0-0',
  'libglib-2.0.so.0': 'libglib2.0-0',
  'libgobject-2.0.so.0': 'libglib2.0-0',
  'libgtk-3.so.0': 'libgtk-3-0',
  'libnspr4.so': 'libnspr4',
  'libnss3.so': 'libnss3',
  'libnssutil3.so': 'libnss3',
  'libpango-1.0.so.0': 'libpango-1.0-0',
  'libsecret-1.so.0': 'libsecret-1-0',
  'libsmime3.so': 'libnss3',
  'libX11.so.6': 'libx11-6',
  'libxcb.so.1': 'libxcb1',
  'libXcomposite.so.1': 'libxcomposite1',
  'libXdamage.so.1': 'libxdamage1',
  'libXext.so.6': 'libxext6',
  'libXfixes.so.3': 'libxfixes3',
  'libxkbcommon.so.0': 'libxkbcommon0',
  'libXrandr.so.2': 'libxrandr2',
  'libXss.so.1': 'libxss1',
  'libXtst.so.6': 'libxtst6',
}

/** Libraries that Chromium opens at run time, which ldd doesn't list. */
const openedAtRunTime = ['libgtk-3.so.0']

/** The programs of a virtual display, with the packages that contain them. */
const packageOfDisplayProgram = {
  Xvfb: 'xvfb',
  xauth: 'xauth',
}

/** The programs of the end-to-end tests. */
const packageOfTestProgram = {
  ...packageOfDisplayProgram,
  'dbus-daemon': 'dbus',
  'dbus-send': 'dbus',
  'gnome-keyring-daemon': 'gnome-keyring',
}

const isRoot = process.getuid?.() === 0

/**
 * Makes sure that the shared libraries of Electron and keytar are there. As root on a Debian-like system, installs the
 * missing ones; otherwise the failure names the exact command. Does nothing on platforms other than Linux.
 *
 * @param {string} electron path of the Electron binary
 * @throws {SetupFailure}
 */
export async function ensureSystemLibraries(electron) {
  if (process.platform !== 'linux') return
  const missing = await missingLibraries(electron)
  if (missing.length === 0) return
  const packages = missing.flatMap((library) => packageOfLibrary[library] ?? [])
  if (packages.length > 0) await installPackages('system libraries', missing, packages)
  const stillMissing = await missingLibraries(electron)
  if (stillMissing.length === 0) return
  throw new SetupFailure(
    `Shared libraries that Electron needs are still missing: ${stillMissing.join(', ')}.`,
    'install the packages of your distribution that contain these libraries and run the command again.',
  )
}

/**
 * Makes sure that the programs of the end-to-end tests are there on Linux: a virtual display, a session bus, a Secret
 * Service. Installs like ensureSystemLibraries.
 *
 * @throws {SetupFailure}
 */
export async function ensureTestPrograms() {
  await ensurePrograms('what the end-to-end tests need', packageOfTestProgram)
}

/**
 * Makes sure that a virtual display can be started. Installs like ensureSystemLibraries.
 *
 * @param {{ find?: typeof findProgram, root?: boolean }} [system] how to find a program, and whether the user is root
 * @throws {SetupFailure}
 */
export async function ensureDisplayPrograms(system) {
  await ensurePrograms('a virtual display', packageOfDisplayProgram, system)
}

/**
 * @param {string} purpose
 * @param {Readonly<Record<string, string>>} packageOfProgram
 * @param {{ find?: typeof findProgram, root?: boolean }} [system]
 */
async function ensurePrograms(purpose, packageOfProgram, { find = findProgram, root = isRoot } = {}) {
  if (process.platform !== 'linux') return
  const missing = Object.entries(packageOfProgram).filter(([program]) => !find(program))
  if (missing.length === 0) return
  await installPackages(
    purpose,
    missing.map(([program]) => program),
    missing.map(([, name]) => name),
    root,
  )
}

/**
 * Finds a program in the PATH and in the folders for system programs.
 *
 * @param {string} program
 * @returns {string | undefined}
 */
export function findProgram(program) {
  const folders = [
    ...(process.env.PATH ?? '').split(':'),
    '/usr/local/bin',
    '/usr/bin',
    '/bin',
    '/usr/sbin',
    '/sbin',
  ]
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path))
}

/**
 * @param {string} electron
 * @returns {Promise<string[]>} names of missing libraries
 */
async function missingLibraries(electron) {
  const keytar = inProject(`node_modules/keytar/prebuilds/linux-${process.arch}/keytar.node`)
  const [linked, opened] = await Promise.all([
    Promise.all([electron, keytar].filter((binary) => existsSync(binary)).map(missingLinks)),
    missingAtRunTime(),
  ])
  return [...new Set([...linked.flat(), ...opened])].sort()
}

/** @param {string} binary */
async function missingLinks(binary) {
  const { stdout } = await run('ldd', [binary])
  return [...stdout.matchAll(/^\s*(\S+) => not found$/gm)].map((match) => match[1] ?? '')
}

/** Asks the linker's cache. Without one, as on NixOS, nothing counts as missing. */
async function missingAtRunTime() {
  const ldconfig = findProgram('ldconfig')
  if (!ldconfig) return []
  const { status, stdout } = await run(ldconfig, ['-p'])
  return status === 0 ? openedAtRunTime.filter((library) => !stdout.includes(`\t${library} (`)) : []
}

/**
 * Installs packages as root on a Debian-like system; otherwise the failure names the exact command.
 *
 * @param {string} purpose
 * @param {readonly string[]} missing what is missing, as the user sees it
 * @param {readonly string[]} packages
 * @param {boolean} [root]
 * @throws {SetupFailure}
 */
export async function installPackages(purpose, missing, packages, root = isRoot) {
  const names = [...new Set(packages)].sort()
  if (!findProgram('apt-get')) {
    throw new SetupFailure(
      `Missing on this system (${purpose}): ${missing.join(', ')}.`,
      `install the packages of your distribution that contain them (Debian calls them ${names.join(' ')}) and run the command again.`,
    )
  }
  if (!root) {
    const available = await namesOfThisRelease(names)
    throw new SetupFailure(
      `Missing on this system (${purpose}): ${missing.join(', ')}.`,
      `sudo apt-get update && sudo apt-get install -y --no-install-recommends ${available.join(' ')}`,
    )
  }
  const update = await withProgress('Refreshing the package lists (apt-get update)', () => aptGet(['update']))
  if (update.status !== 0) printStatus('apt-get update failed; trying with the existing package lists.')
  const available = await namesOfThisRelease(names)
  await withProgress(`Installing ${purpose} (apt-get install ${available.join(' ')})`, async () => {
    const { status, output } = await aptGet(['install', '-y', '--no-install-recommends', ...available])
    if (status === 0) return
    throw new SetupFailure(
      `apt-get install ended with status ${status}.${lastLines(update.status === 0 ? output : update.output + output)}`,
      `fix what apt-get reports above (network, package sources), or install by hand: apt-get install ${available.join(' ')}`,
    )
  })
}

/** @param {readonly string[]} args */
function aptGet(args) {
  return run('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=120', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' },
  })
}

/**
 * Replaces names that end in t64 in this release, as some do since Ubuntu 24.04 and Debian 13.
 *
 * @param {readonly string[]} names
 */
async function namesOfThisRelease(names) {
  const { stdout } = await run('apt-cache', ['pkgnames'])
  const known = new Set(stdout.split('\n'))
  return names.map((name) => (known.has(`${name}t64`) ? `${name}t64` : name))
}
