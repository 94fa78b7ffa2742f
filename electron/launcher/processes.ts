import { constants } from 'node:os'
import { execa, type Options } from 'execa'
import { projectFolder } from './base.mjs'

/** Runs a program to its end in the project's folder, and collects its output in `all`. Doesn't reject if it fails. */
export const run = (program: string, args: readonly string[], options: Options = {}) =>
  execa(program, args, { cwd: projectFolder, stdin: 'ignore', all: true, reject: false, ...options })

const seen = new Set<NodeJS.Signals>()

/** The signal that came while a program ran in the foreground. After it, nothing more should be started. */
export const interruption = (): NodeJS.Signals | undefined => [...seen][0]

/**
 * Runs a program on the launcher's own input and output, and passes signals on to it: each once, since npm does so as
 * well, and no SIGINT in a terminal, which sends that to all.
 *
 * @param options `takeErrors` gets what it writes to standard error; `stop` ends it, by force after five seconds
 * @returns its exit status, 128 + N after signal N
 */
export async function runInForeground(
  program: string,
  args: readonly string[],
  { env = process.env, takeErrors, stop }: Foreground = {},
): Promise<number> {
  const child = execa(program, args, {
    cwd: projectFolder,
    ...{ env, extendEnv: false, cancelSignal: stop, buffer: false, reject: false },
    stdio: ['inherit', 'inherit', takeErrors ? 'pipe' : 'inherit'],
  })
  if (takeErrors) child.stderr?.setEncoding('utf8').on('data', takeErrors)
  const pass = (signal: NodeJS.Signals): void => {
    if (!seen.has(signal) && !(signal === 'SIGINT' && process.stdin.isTTY)) child.kill(signal)
    seen.add(signal)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, pass)
  const result = await child
  for (const signal of signals) process.off(signal, pass)
  if (result.exitCode === undefined && !result.signal) throw result as Error
  return result.exitCode ?? 128 + constants.signals[result.signal!]
}

interface Foreground {
  env?: NodeJS.ProcessEnv
  takeErrors?: (piece: string) => void
  stop?: AbortSignal
}
