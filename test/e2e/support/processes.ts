import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import type { Slipway } from './slipway'

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

/** Process identifiers of the processes of a service, as Slipway names them. */
export const utilityProcesses = (slipway: Slipway, service: string): Promise<number[]> =>
  slipway.app.evaluate(
    ({ app }, wanted) =>
      app
        .getAppMetrics()
        .filter(({ name, serviceName }) => [name, serviceName].includes(wanted))
        .map(({ pid }) => pid),
    service,
  )

/** Whether a process is running. One that has ended is still listed until its parent reads its status (a zombie). */
export function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0)
    return process.platform !== 'linux' || !/\) [ZX] /.test(readFileSync(`/proc/${processId}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** A display for windows: its address, and a function that ends it. */
export interface Display {
  environment: Record<string, string>
  close: () => Promise<void>
}

/**
 * Starts a virtual display (Xvfb chooses a free number) that is large enough for a window of 2560x1440. On platforms
 * other than Linux, the tests use the desktop.
 */
export async function startDisplay(): Promise<Display> {
  if (process.platform !== 'linux') return { environment: {}, close: async () => {} }
  const xvfb = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '2560x1440x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  const number = await firstLine(xvfb, xvfb.stdio[3] as Readable, 'Xvfb')
  return { environment: { DISPLAY: `:${number}`, WAYLAND_DISPLAY: '' }, close: () => end(xvfb) }
}
