import { existsSync, readdirSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { execa, type Options } from 'execa'
import { inProject, lastLines, printStatus, projectFolder, SetupFailure, withProgress } from './base.mjs'

/** Runs a program to its end in the project's folder, and collects its output in `all`. Doesn't reject if it fails. */
export const run = (program: string, args: readonly string[], options: Options = {}) =>
  execa(program, args, { cwd: projectFolder, stdin: 'ignore', all: true, reject: false, ...options })

const seen = new Set<NodeJS.Signals>()

/** The signal that came while a program ran in the foreground. After it, nothing more should be started. */
export const interruption = (): NodeJS.Signals | undefined => [...seen][0]

/**
 * Runs a program on the launcher's own input and output, and passes signals on to it: each once, since npm does so as
 * well, and no SIGINT in a terminal, which sends that to all.
 *
 * @param options `takeErrors` gets each line that it writes to standard error; `stop` ends it, by force after five seconds
 * @returns its exit status, 128 + N after signal N
 */
export async function runInForeground(
  program: string,
  args: readonly string[],
  { env = process.env, takeErrors, stop }: Foreground = {},
): Promise<number> {
  const child = execa(program, args, {
    cwd: projectFolder,
    ...{ env, extendEnv: false, cancelSignal: stop, buffer: false, reject: false },
    stdio: ['inherit', 'inherit', takeErrors ? 'pipe' : 'inherit'],
  })
  if (takeErrors) createInterface({ input: child.stderr! }).on('line', takeErrors)
  const pass = (signal: NodeJS.Signals): void => {
    if (!seen.has(signal) && !(signal === 'SIGINT' && process.stdin.isTTY)) child.kill(signal)
    seen.add(signal)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, pass)
  const result = await child
  for (const signal of signals) process.off(signal, pass)
  if (result.exitCode === undefined && !result.signal) throw result as Error
  return result.exitCode ?? 128 + constants.signals[result.signal!]
}

interface Foreground {
  env?: NodeJS.ProcessEnv
  takeErrors?: (line: string) => void
  stop?: AbortSignal
}

/** What Electron links or opens, by Debian's packages. They bring the other libraries with them. */
const libraries = [
  ...['libasound2', 'libatk-bridge2.0-0', 'libdrm2', 'libgbm1', 'libgtk-3-0', 'libnss3', 'libsecret-1-0'],
  ...['libxss1', 'libxtst6'],
]

/** Debian's packages by the programs that are needed from them. */
const display = { 'xvfb-run': 'xvfb', Xvfb: 'xvfb', xauth: 'xauth' }
const desktop = { 'dbus-daemon': 'dbus', 'dbus-send': 'dbus', 'gnome-keyring-daemon': 'gnome-keyring' }

/** Finds a program in the PATH and in the folders for system programs. */
export const findProgram = (program: string): string | undefined =>
  [...(process.env.PATH ?? '').split(':'), '/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin']
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path))

/**
 * Makes sure that the shared libraries of Electron and keytar are there on Linux, and installs them like
 * `ensurePrograms`.
 *
 * @param electron path of the Electron binary
 */
export async function ensureLibraries(electron: string): Promise<void> {
  if (process.platform !== 'linux') return
  const missing = await missingLibraries(electron)
  if (missing.length === 0) return
  await install('system libraries', missing, libraries)
  const stillMissing = await missingLibraries(electron)
  if (stillMissing.length === 0) return
  throw new SetupFailure(
    `Shared libraries that Electron needs are still missing: ${stillMissing.join(', ')}.`,
    'install the packages of your distribution that contain these libraries and run the command again.',
  )
}

async function missingLibraries(electron: string): Promise<string[]> {
  const keytar = inProject(`node_modules/keytar/prebuilds/linux-${process.arch}/keytar.node`)
  const { stdout } = await run('ldd', [electron, keytar])
  const linked = Array.from(String(stdout).matchAll(/^\s*(\S+) => not found$/gm), ([, name]) => name!)
  // Chromium opens it at run time. Without a linker's cache, as on NixOS, it counts as there.
  const { stdout: cache, failed } = await run(findProgram('ldconfig') ?? 'ldconfig', ['-p'])
  const gtk = 'libgtk-3.so.0'
  return [...new Set([...linked, ...(failed || String(cache).includes(`\t${gtk} (`) ? [] : [gtk])])].sort()
}

/** Makes sure that a virtual display can be started. */
export const ensureDisplayPrograms = (): Promise<void> => ensurePrograms('a virtual display', display)

/** Makes sure that there are the programs of the end-to-end tests: a virtual display, a session bus, a Secret Service. */
export const ensureTestPrograms = (): Promise<void> =>
  ensurePrograms('what the end-to-end tests need', { ...display, ...desktop })

/**
 * Makes sure that programs are there on Linux. As root on a Debian-like system, installs the missing ones; otherwise
 * the failure names the exact command.
 *
 * @param programs Debian's packages by the program
 */
export async function ensurePrograms(
  purpose: string,
  programs: Readonly<Record<string, string>>,
): Promise<void> {
  const missing = Object.keys(programs).filter((program) => !findProgram(program))
  if (process.platform !== 'linux' || missing.length === 0) return
  await install(
    purpose,
    missing,
    missing.map((program) => programs[program]!),
  )
}

/** Finds the folder of PostgreSQL's programs. Debian keeps them out of the PATH, in a folder for each version. */
export function findPostgres(): string | undefined {
  const parent = '/usr/lib/postgresql'
  const versions = existsSync(parent) ? readdirSync(parent).sort((one, other) => +other - +one) : []
  return [...(process.env.PATH ?? '').split(':'), ...versions.map((name) => join(parent, name, 'bin'))].find(
    (folder) => ['initdb', 'postgres', 'pg_basebackup'].every((program) => existsSync(join(folder, program))),
  )
}

/** Makes sure that PostgreSQL's programs are there, and installs them like `ensurePrograms`. */
export async function ensurePostgres(): Promise<void> {
  if (findPostgres()) return
  if (process.platform === 'linux') await install('PostgreSQL', ['initdb', 'postgres'], ['postgresql'])
  if (findPostgres()) return
  throw new SetupFailure(
    "PostgreSQL's programs are missing: initdb, postgres, pg_basebackup.",
    'install PostgreSQL 14 or newer (on macOS: brew install postgresql), put its programs into the PATH if they are elsewhere, and run the command again.',
  )
}

/** @param missing what is missing, as the user sees it */
async function install(
  purpose: string,
  missing: readonly string[],
  packages: readonly string[],
): Promise<void> {
  const names = [...new Set(packages)].sort()
  const cause = `Missing on this system (${purpose}): ${missing.join(', ')}.`
  if (!findProgram('apt-get')) {
    throw new SetupFailure(
      cause,
      `install the packages of your distribution that contain them (Debian calls them ${names.join(' ')}) and run the command again.`,
    )
  }
  const isRoot = process.getuid?.() === 0
  if (isRoot && (await withProgress('Refreshing the package lists', () => aptGet('update'))).failed)
    printStatus('apt-get update failed; trying with the existing package lists.')
  // Some names end in t64 since Ubuntu 24.04 and Debian 13.
  const known = new Set(String((await run('apt-cache', ['pkgnames'])).stdout).split('\n'))
  const args = ['install', '-y', '--no-install-recommends']
  args.push(...names.map((name) => (known.has(`${name}t64`) ? `${name}t64` : name)))
  const command = `apt-get ${args.join(' ')}`
  if (!isRoot) throw new SetupFailure(cause, `sudo apt-get update && sudo ${command}`)
  const { failed, all } = await withProgress(`Installing ${purpose} (${command})`, () => aptGet(...args))
  if (!failed) return
  throw new SetupFailure(
    `${cause} ${command} failed.${lastLines(String(all))}`,
    'fix what apt-get reports above (network, package sources), or install by hand, and run the command again.',
  )
}

const aptGet = (...args: string[]) =>
  run('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=120', ...args], {
    env: { DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' },
  })
