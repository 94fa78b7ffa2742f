import { execFile } from 'node:child_process'
import { devNull } from 'node:os'
import { promisify } from 'node:util'

/** The limits of git: its time in milliseconds, its output in bytes, and its address space in KiB. */
const timeLimit = 20_000
const longestOutput = 16 * 1024 * 1024
const memoryKib = 2 * 1024 * 1024

const execute = promisify(execFile)

/** The directories that git reads. */
export interface GitPlace {
  /** A git directory that we created. git reads config and refs only from there. */
  view: string
  /** The folder of a repository's objects. */
  objects: string
}

/**
 * Runs git on the refs of a view and the objects of a repository, and gives its output. git reads only the view's
 * config, so a repository can't run anything: no hooks, filters, pagers, helpers or remotes. Rejects if git fails or
 * exceeds a limit.
 */
export async function runGit(
  { view, objects }: GitPlace,
  args: readonly string[],
  input = '',
): Promise<string> {
  const options = {
    cwd: view,
    env: {
      PATH: process.env.PATH,
      SystemRoot: process.env.SystemRoot,
      HOME: view,
      LC_ALL: 'C',
      GIT_DIR: view,
      GIT_OBJECT_DIRECTORY: objects,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: devNull,
      GIT_ALLOW_PROTOCOL: '',
      GIT_NO_LAZY_FETCH: '1',
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_TERMINAL_PROMPT: '0',
    },
    timeout: timeLimit,
    killSignal: 'SIGKILL',
    maxBuffer: longestOutput,
    windowsHide: true,
  } as const
  const running =
    process.platform === 'win32'
      ? execute('git', [...args], options)
      : execute('/bin/sh', ['-c', limited, 'git', ...args], options)
  // git may end before it has read everything. Its error output then has the reason.
  running.child.stdin?.on('error', () => undefined).end(input)
  return (await running).stdout
}

/** Without a limit, git would read a maliciously large object into memory whole. */
const limited = `ulimit -v ${memoryKib} 2>/dev/null; exec git "$@"`
