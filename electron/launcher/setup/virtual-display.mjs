// A virtual display for machines without one: an Xvfb that belongs to the launcher and ends with it.

import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram } from './system-libraries.mjs'
import { SetupFailure } from '../base/progress.mjs'

/** Large enough for the window. Chromium needs 24 bits. */
const screen = '1440x900x24'

const startTimeLimit = 20_000
const endTimeLimit = 3_000

/**
 * @typedef {object} VirtualDisplay
 * @property {{ DISPLAY: string, XAUTHORITY: string, WAYLAND_DISPLAY: string }} environment where programs find it
 * @property {() => Promise<void>} close ends it
 */

/**
 * Starts a virtual display on a free number. Its key is in a file that only this user can read, so that other users
 * of the machine can't see the window or type into it.
 *
 * It has a process group of its own, so that Ctrl-C reaches the application first, which needs the display to quit in
 * order. It ends by itself with the last program on it, even if the launcher is killed.
 *
 * @returns {Promise<VirtualDisplay>}
 * @throws {SetupFailure}
 */
export async function startVirtualDisplay() {
  const folder = temporaryFolder()
  const authority = join(folder, 'Xauthority')
  const cookie = randomBytes(16).toString('hex')
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let server
  const kill = () => {
    server?.kill('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  }
  const stopWatching = endWithLauncher(kill)
  try {
    // The server accepts every key in the file, even one for another display.
    await writeKey(authority, ':0', cookie)
    server = spawn(
      findProgram('Xvfb') ?? 'Xvfb',
      ['-displayfd', '3', '-screen', '0', screen, '-nolisten', 'tcp', '-auth', authority, '-terminate'],
      { detached: true, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] },
    )
    const display = `:${await numberOf(server)}`
    await writeKey(authority, display, cookie)
    const running = server
    return {
      environment: { DISPLAY: display, XAUTHORITY: authority, WAYLAND_DISPLAY: '' },
      close: async () => {
        await end(running)
        stopWatching()
        rmSync(folder, { recursive: true, force: true })
      },
    }
  } catch (error) {
    stopWatching()
    kill()
    const reason = error instanceof Error ? error.message : String(error)
    throw new SetupFailure(
      `The virtual display can't be started: ${reason}`,
      'fix the cause, or run npm start in a desktop session or over ssh -X.',
    )
  } finally {
    stopWatching.signals()
  }
}

/**
 * @returns {string} a new folder that nobody else may enter
 * @throws {SetupFailure} if none can be created
 */
function temporaryFolder() {
  try {
    return mkdtempSync(join(tmpdir(), 'slipway-display-'))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new SetupFailure(
      `The folder for temporary files, ${tmpdir()}, isn't writable: ${reason}`,
      'set TMPDIR to a folder that you may write to, or unset it, and run the command again.',
    )
  }
}

/**
 * Calls `kill` if the launcher ends before `close`, also if a signal ends it while nothing else handles signals.
 *
 * @param {() => void} kill
 */
function endWithLauncher(kill) {
  /** @param {NodeJS.Signals} signal */
  const bySignal = (signal) => process.exit(128 + constants.signals[signal])
  const names = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once('exit', kill)
  for (const name of names) process.on(name, bySignal)
  const signals = () => {
    for (const name of names) process.off(name, bySignal)
  }
  const stop = () => {
    signals()
    process.off('exit', kill)
  }
  return Object.assign(stop, { signals })
}

/**
 * Writes a key into a file that nobody else can read. The key goes through standard input: command lines are public.
 *
 * @param {string} file
 * @param {string} display
 * @param {string} cookie
 * @returns {Promise<void>}
 */
function writeKey(file, display, cookie) {
  return new Promise((resolve, reject) => {
    const xauth = spawn(findProgram('xauth') ?? 'xauth', ['-q', '-f', file, 'source', '-'], {
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    let errors = ''
    xauth.stderr.setEncoding('utf8').on('data', (text) => (errors += text))
    xauth.once('error', reject)
    xauth.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`xauth ended with status ${code}: ${errors.trim()}`)),
    )
    xauth.stdin.on('error', () => undefined)
    xauth.stdin.end(`add ${display} . ${cookie}\n`)
  })
}

/**
 * The display's number, which the server writes when it is ready.
 *
 * @param {import('node:child_process').ChildProcess} server
 * @returns {Promise<string>}
 */
function numberOf(server) {
  return new Promise((resolve, reject) => {
    let errors = ''
    server.stderr?.setEncoding('utf8').on('data', (text) => (errors = (errors + text).slice(-2_000)))
    const timer = setTimeout(() => reject(new Error('it did not answer in time.')), startTimeLimit)
    server.once('error', reject)
    server.once('exit', (code) => reject(new Error(`Xvfb ended with status ${code}. ${errors.trim()}`)))
    let text = ''
    const pipe = /** @type {import('node:stream').Readable} */ (server.stdio[3])
    pipe.setEncoding('utf8').on('data', (piece) => {
      text += piece
      if (!text.includes('\n')) return
      clearTimeout(timer)
      resolve(text.trim())
    })
  })
}

/**
 * Ends the server, by force if it takes long, and waits for its exit.
 *
 * @param {import('node:child_process').ChildProcess} server
 */
async function end(server) {
  if (server.exitCode !== null || server.signalCode !== null) return
  const gone = new Promise((resolve) => server.once('exit', resolve))
  server.kill('SIGTERM')
  const force = setTimeout(() => server.kill('SIGKILL'), endTimeLimit)
  await gone
  clearTimeout(force)
}
