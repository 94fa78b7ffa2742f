// The progress of the set-up goes to standard error. Standard output belongs to the program that the launcher starts,
// such as the service's "listening on" line. npm start also prints there which display and which Electron it uses.

const terminal = process.stderr.isTTY
const tick = terminal ? 1_000 : 5_000

/** A step of the set-up that failed for a known reason: `message` is the cause, `remedy` what to do about it. */
export class SetupFailure extends Error {
  /**
   * @param {string} cause what happened, one or more sentences
   * @param {string} remedy what to do, one or more sentences or a command
   */
  constructor(cause, remedy) {
    super(cause)
    this.name = 'SetupFailure'
    this.remedy = remedy
  }
}

/**
 * Prints one line about the set-up, on standard error.
 *
 * @param {string} text
 */
export function printStatus(text) {
  process.stderr.write(`slipway: ${text}\n`)
}

/**
 * Prints one line about the program that is started, on standard output.
 *
 * @param {string} text
 */
export function printNotice(text) {
  process.stdout.write(`slipway: ${text}\n`)
}

/** @param {number} since as from Date.now() */
const secondsSince = (since) => ((Date.now() - since) / 1_000).toFixed(1)

/**
 * Runs a step of the set-up. Prints its title at once, then its running time (every second in a terminal, every five
 * seconds elsewhere), and at the end how long it took. Rejects with what the work rejects with.
 *
 * @template T
 * @param {string} title what is being done, for example "Installing dependencies"
 * @param {(progress: (detail: string) => void) => Promise<T>} work may report a detail for the progress line, for
 *   example "12 MB"
 * @returns {Promise<T>}
 */
export async function withProgress(title, work) {
  const started = Date.now()
  let detail = ''
  const line = () => `slipway: ${title} … ${secondsSince(started)} s${detail && `, ${detail}`}`
  const show = () => process.stderr.write(terminal ? `\r\x1b[2K${line()}` : `${line()}\n`)
  process.stderr.write(`slipway: ${title} …${terminal ? '' : '\n'}`)
  const timer = setInterval(show, tick)
  let outcome = 'failed'
  try {
    const result = await work((text) => {
      detail = text
    })
    outcome = 'done'
    return result
  } finally {
    clearInterval(timer)
    process.stderr.write(
      `${terminal ? '\r\x1b[2K' : ''}slipway: ${title}: ${outcome} (${secondsSince(started)} s)\n`,
    )
  }
}

/**
 * Runs a whole command and sets the process's exit status. Prints a SetupFailure as cause and remedy, and any other
 * error with its stack; both set status 1. A closed pipe or a full disk under the output doesn't end the command.
 *
 * @param {() => Promise<number>} command resolves with the exit status
 */
export async function runCommand(command) {
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined)
  try {
    process.exitCode = await command()
  } catch (error) {
    if (error instanceof SetupFailure) {
      printStatus(`cannot go on. ${error.message}`)
      printStatus(`what to do: ${error.remedy}`)
    } else {
      printStatus(
        `unexpected failure in the launcher: ${error instanceof Error ? error.stack : String(error)}`,
      )
    }
    process.exitCode = 1
  }
}
