// What the launcher says about the set-up goes to standard error, so that standard output belongs to what it
// starts: the service's "listening on" line, the closing line of the tests. For npm start it has what was chosen.

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
 * Prints one line about the set-up.
 *
 * @param {string} text
 */
export function say(text) {
  process.stderr.write(`slipway: ${text}\n`)
}

/**
 * Prints one line about what is started, on standard output.
 *
 * @param {string} text
 */
export function tell(text) {
  process.stdout.write(`slipway: ${text}\n`)
}

/** @param {number} since as from Date.now() */
const secondsSince = (since) => ((Date.now() - since) / 1_000).toFixed(1)

/**
 * Runs a step of the set-up: prints its title at once, then how long it has been running (every second in a
 * terminal, every five seconds elsewhere), and at the end how long it took. What the step throws is passed on.
 *
 * @template T
 * @param {string} title what is being done, for example "Installing dependencies"
 * @param {(progress: (detail: string) => void) => Promise<T>} work may report a detail, for example "12 MB",
 *   which the progress line then shows
 * @returns {Promise<T>}
 */
export async function step(title, work) {
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
 * Runs a whole command and leaves the process with its exit status. A failure of the set-up is printed as
 * cause and remedy, anything else with its stack; both end with status 1. A reader of the output that goes away, or a full
 * disk under it, ends nothing.
 *
 * @param {() => Promise<number>} command answers the exit status
 */
export async function runCommand(command) {
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined)
  try {
    process.exitCode = await command()
  } catch (error) {
    if (error instanceof SetupFailure) {
      say(`cannot go on. ${error.message}`)
      say(`what to do: ${error.remedy}`)
    } else {
      say(`unexpected failure in the launcher: ${error instanceof Error ? error.stack : String(error)}`)
    }
    process.exitCode = 1
  }
}
