// What the first step needs before anything is installed, and the rest as well. Plain JavaScript that old versions of
// Node can read. The progress of the set-up goes to standard error: standard output belongs to the program that is
// started, such as the service's "listening on" line.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the checkout, without a slash at the end. */
export const projectFolder = folderAbove(fileURLToPath(import.meta.url))

/**
 * The nearest folder with a package.json. A path relative to this file would be another one in the built benchmarks.
 *
 * @param {string} path
 * @returns {string}
 */
function folderAbove(path) {
  const folder = dirname(path)
  return existsSync(join(folder, 'package.json')) ? folder : folderAbove(folder)
}

/**
 * A path inside the checkout.
 *
 * @param {...string} parts
 */
export const inProject = (...parts) => join(projectFolder, ...parts)

/** A step of the set-up that failed for a known reason: `message` is the cause, `remedy` what to do about it. */
export class SetupFailure extends Error {
  /**
   * @param {string} cause what happened, one or more sentences
   * @param {string} remedy what to do, one or more sentences or a command
   */
  constructor(cause, remedy) {
    super(cause)
    this.remedy = remedy
  }
}

/**
 * Prints one line about the set-up.
 *
 * @param {string} text
 */
export function printStatus(text) {
  process.stderr.write(`slipway: ${text}\n`)
}

/**
 * Runs a step of the set-up. Prints its title at once, its time every five seconds, and at the end how long it took.
 *
 * @template T
 * @param {string} title what is being done, for example "Installing dependencies"
 * @param {() => T | Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withProgress(title, work) {
  const started = Date.now()
  const seconds = () => `${((Date.now() - started) / 1_000).toFixed(1)} s`
  printStatus(`${title} …`)
  const timer = setInterval(() => printStatus(`${title} … ${seconds()}`), 5_000)
  let outcome = 'failed'
  try {
    const result = await work()
    outcome = 'done'
    return result
  } finally {
    clearInterval(timer)
    printStatus(`${title}: ${outcome} (${seconds()})`)
  }
}

/**
 * The last lines of a program's output, for a failure's message.
 *
 * @param {string} [output]
 * @returns {string} indented, beginning with a line break; empty for no output
 */
export const lastLines = (output = '', lines = 15) =>
  output.trim() && `\n${output.trim().split('\n').slice(-lines).join('\n').replace(/^/gm, '    ')}`

const isNetworkFailure =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT_LOCALLY)\b/

/**
 * Runs npm: the one that runs this script if there is one, otherwise the one on the PATH.
 *
 * @param {readonly string[]} args
 * @returns {Promise<void>}
 * @throws {SetupFailure} if it fails
 */
export function npm(args) {
  const cli = process.env.npm_execpath || ''
  const [program, first] = cli.endsWith('npm-cli.js') ? [process.execPath, [cli]] : ['npm', []]
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...first, ...args], {
      cwd: projectFolder,
      shell: process.platform === 'win32' && program === 'npm',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => (output += text))
    }
    child.once('error', reject)
    child.once('close', (status) => {
      if (status === 0) return resolve()
      reject(
        isNetworkFailure.test(output)
          ? new SetupFailure(
              `npm ${args[0]} cannot reach npm's registry.${lastLines(output)}`,
              'check the network connection, or set a proxy (npm config set proxy http://HOST:PORT) or another registry (npm config set registry URL), and run the command again.',
            )
          : new SetupFailure(
              `npm ${args[0]} ended with status ${status}.${lastLines(output)}`,
              'fix what npm reports above and run the command again.',
            ),
      )
    })
  })
}
