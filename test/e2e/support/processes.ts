import { type ChildProcess, execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Runs a program to its end. Rejects if its exit status isn't 0. */
export const execute = promisify(execFile)

/** Ends a process that a test started, by force after two seconds, and waits for its end. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const force = setTimeout(() => child.kill('SIGKILL'), 2_000)
  await gone
  clearTimeout(force)
}

/** The first line that a process prints on an output. Rejects with its other output if it ends before. */
export function firstLine(child: ChildProcess, output: NodeJS.ReadableStream, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    let errors = ''
    child.stderr?.on('data', (piece: Buffer) => (errors += piece.toString()))
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${name} ended with status ${code}: ${errors}`)))
    output.on('data', (piece: Buffer) => {
      text += piece.toString()
      const lineEnd = text.indexOf('\n')
      if (lineEnd >= 0) resolve(text.slice(0, lineEnd))
    })
  })
}

/**
 * Polls every 10 ms until the answer is true. Rejects after the time limit (ms), which is far longer than a busy
 * machine needs.
 */
export async function until(what: string, answer: () => Promise<boolean>, timeLimit = 60_000): Promise<void> {
  const started = Date.now()
  while (!(await answer())) {
    if (Date.now() - started > timeLimit) throw new Error(`not within ${timeLimit} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
