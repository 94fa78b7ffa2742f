/** The part of Electron's UtilityProcess that is used here. */
export interface ServiceProcess {
  stdout: NodeJS.ReadableStream | null
  stderr: NodeJS.ReadableStream | null
  once: (event: 'exit', listener: (code: number) => void) => unknown
  /** Sends SIGTERM. */
  kill: () => unknown
}

/** The URL of a service that listens, or why it doesn't, in one line, with its exit status if it ended. */
export type Start = { ok: true; url: string } | { ok: false; reason: string; status: number | null }

/** How much output is kept to explain a failed start, in characters. */
const maxOutput = 2_000

/** How long to wait for the rest of the error output after the process has ended, in milliseconds. */
const lastLinesMs = 1_000

/**
 * Waits for the line `listening on http://HOST:PORT` on standard output. Goes on reading, so that a full pipe never
 * blocks the process. A failure includes the last lines of the error output.
 */
export function waitUntilListening(child: ServiceProcess, timeLimitMs: number): Promise<Start> {
  return new Promise((resolve) => {
    let output = ''
    let errors = ''
    const explain = (what: string, status: number | null): Start => {
      const words = errors.trim().split('\n').slice(-5).join(' ')
      return { ok: false, reason: words === '' ? what : `${what}: ${words}`, status }
    }
    const timer = setTimeout(
      () => resolve(explain(`it did not listen within ${timeLimitMs / 1000} s`, null)),
      timeLimitMs,
    )
    const settle = (start: Start): void => {
      clearTimeout(timer)
      resolve(start)
    }

    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      output = (output + chunk).slice(-maxOutput)
      const line = /^listening on (http:\/\/\S+)\r?\n/m.exec(output)
      if (line?.[1]) settle({ ok: true, url: line[1].replace(/\/$/, '') })
    })
    const { stderr } = child
    const note = (chunk: string): void => void (errors = (errors + chunk).slice(-maxOutput))
    let allRead = stderr === null
    stderr?.setEncoding('utf8').on('data', note)
    stderr?.once('end', () => (allRead = true))
    child.once('exit', (code) => {
      const settleEnd = (): void => settle(explain(`it ended with code ${code}`, code))
      setTimeout(settleEnd, allRead ? 0 : lastLinesMs)
      // The last lines may still be in the pipe, and Electron removes all listeners after `exit`.
      queueMicrotask(() => stderr?.off('data', note).on('data', note).once('end', settleEnd))
    })
  })
}
