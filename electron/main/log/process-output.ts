import type { UtilityProcess } from 'electron'
import type { Log } from '.'

const longestLine = 2_000

/** How many lines of one process are logged in a minute. Further ones are only counted. */
const maxLinesAMinute = 60

/**
 * Lines that the built-in service writes when nothing is wrong: for each request that it answered, once it listens, and
 * when the sandbox has its sample already.
 */
const routineLine = /^(?:\d{4}-\d\d-\d\dT\S+ [A-Z]+ \/|listening on |--sample )/

/** Logs the start, the end and the output of a utility process. Always reads its pipes, so that they never fill up. */
export function logProcess(
  log: Log,
  name: string,
  child: Pick<UtilityProcess, 'stdout' | 'stderr' | 'on'>,
): void {
  child.on('spawn', () => log.info('process', `${name} began`))
  child.on('exit', (code) => log.info('process', `${name} ended`, { code }))
  const take = (text: string): void => {
    const level = routineLine.test(text) ? 'debug' : 'warn'
    log[level]('process', `${name}: ${text}`)
  }
  const note = throttleLines(take, (count) => log.warn('process', `${name}: ${count} more lines`))
  for (const output of [child.stdout, child.stderr]) if (output) eachLine(output, note)
}

function eachLine(output: NodeJS.ReadableStream, found: (line: string) => void): void {
  let rest = ''
  const take = (line: string): void => {
    if (line.trim() !== '') found(line)
  }
  output.on('data', (piece: Buffer | string) => {
    const lines = (rest + piece.toString()).split(/\r?\n/)
    rest = lines.pop() ?? ''
    lines.forEach(take)
    if (rest.length > longestLine) {
      take(rest)
      rest = ''
    }
  })
  output.on('end', () => take(rest))
  output.on('error', () => undefined)
}

/** Passes on a limited number of lines in a minute, then the number of lines beyond it. */
function throttleLines(take: (line: string) => void, more: (count: number) => void): (line: string) => void {
  let minute = 0
  let taken = 0
  return (line) => {
    const now = Math.floor(Date.now() / 60_000)
    if (now !== minute) {
      if (taken > maxLinesAMinute) more(taken - maxLinesAMinute)
      minute = now
      taken = 0
    }
    taken += 1
    if (taken <= maxLinesAMinute) take(line)
  }
}
