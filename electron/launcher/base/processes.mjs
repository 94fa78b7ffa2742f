import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { projectFolder } from './paths.mjs'

/**
 * @typedef {object} Finished
 * @property {number} status exit status; 127 if the program could not be started, 128 + N after signal N
 * @property {string} output standard output and standard error, interleaved, at most the last 256 KiB
 * @property {string} stdout standard output alone, whole
 */

const outputLimit = 256 * 1024

/** How long a stopped program may take to end before it is killed, in milliseconds. */
const endTimeLimit = 5_000

/**
 * @param {number | null} code
 * @param {NodeJS.Signals | null} signal
 */
const exitStatus = (code, signal) => code ?? 128 + (signal ? constants.signals[signal] : 0)

/**
 * Runs a program to its end and collects its output. Never rejects.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, shell?: boolean, timeLimit?: number }} [options]
 *   `timeLimit` in milliseconds, after which the program is killed
 * @returns {Promise<Finished>}
 */
export function run(program, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: options.cwd ?? projectFolder,
      env: options.env ?? process.env,
      shell: options.shell ?? false,
      timeout: options.timeLimit,
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    let stdout = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text
      output = (output + text).slice(-outputLimit)
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-outputLimit)
    })
    child.once('error', (error) => resolve({ status: 127, output: error.message, stdout }))
    child.once('close', (code, signal) => resolve({ status: exitStatus(code, signal), output, stdout }))
  })
}

/** @type {readonly NodeJS.Signals[]} */
const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** @type {NodeJS.Signals | undefined} */
let received

/**
 * The signal that came while a program ran in the foreground. After it, nothing more should be started.
 *
 * @returns {NodeJS.Signals | undefined}
 */
export const interruption = () => received

/**
 * Runs a program in the foreground on the launcher's own input and output, and forwards signals to it. Each signal is
 * forwarded once, since npm forwards a terminal's Ctrl-C as well. SIGINT isn't forwarded in a terminal, which sends it
 * to the whole process group itself.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, takeErrors?: (piece: string) => void, stop?: AbortSignal }} [options]
 *   `takeErrors` gets what the program writes to standard error; without it, that goes to the launcher's own. `stop`
 *   ends the program, by force if it takes long
 * @returns {Promise<number>} the exit status, 128 + N after signal N
 */
export function runInForeground(program, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: projectFolder,
      env: options.env ?? process.env,
      stdio: ['inherit', 'inherit', options.takeErrors ? 'pipe' : 'inherit'],
    })
    child.stderr?.setEncoding('utf8').on('data', (piece) => options.takeErrors?.(piece))
    /** @param {NodeJS.Signals} signal */
    const forward = (signal) => {
      received = signal
      process.off(signal, forward)
      process.on(signal, ignore)
      if (!(signal === 'SIGINT' && process.stdin.isTTY)) child.kill(signal)
    }
    for (const signal of forwarded) process.on(signal, forward)
    const stopWatching = watchNpm(() => forward('SIGTERM'))
    /** @type {NodeJS.Timeout | undefined} */
    let force
    const end = () => {
      child.kill('SIGTERM')
      force = setTimeout(() => child.kill('SIGKILL'), endTimeLimit)
    }
    options.stop?.addEventListener('abort', end)
    const finish = () => {
      stopWatching()
      options.stop?.removeEventListener('abort', end)
      clearTimeout(force)
      for (const signal of forwarded) process.off(signal, forward).off(signal, ignore)
    }
    child.once('error', (error) => {
      finish()
      reject(error)
    })
    child.once('close', (code, signal) => {
      finish()
      resolve(exitStatus(code, signal))
    })
  })
}

const ignore = () => {}

/**
 * Watches for the end of npm. npm runs a script in a shell, and a signal that ends npm or the shell doesn't reach this
 * process. It gets a new parent process instead.
 *
 * @param {() => void} ended called when the npm that runs this script has ended
 * @returns {() => void} ends the watch
 */
function watchNpm(ended) {
  if (!process.env.npm_lifecycle_event || process.platform === 'win32') return ignore
  const before = parents()
  const timer = setInterval(() => {
    if (parents() === before) return
    clearInterval(timer)
    ended()
  }, 250)
  return () => clearInterval(timer)
}

/** The parent process and, if that is npm's shell and the system shows it, the shell's parent. */
function parents() {
  const parent = process.ppid
  try {
    const [, name, shellsParent] =
      /\((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${parent}/stat`, 'utf8')) ?? []
    return name === 'sh' || name === 'dash' ? `${parent} ${shellsParent}` : `${parent}`
  } catch {
    return `${parent}`
  }
}

/**
 * The last lines of a program's output, for a failure's message.
 *
 * @param {string} output
 * @param {number} [lines]
 * @returns {string} indented, beginning with a line break; empty for no output
 */
export function lastLines(output, lines = 15) {
  const last = output.trim().split('\n').slice(-lines)
  return last[0] ? `\n${last.map((line) => `    ${line}`).join('\n')}` : ''
}
