/** What is needed of the process of a service; Electron's UtilityProcess has it. */
export interface ServiceProcess {
  stdout: NodeJS.ReadableStream | null
  stderr: NodeJS.ReadableStream | null
  once: (event: 'exit', listener: (code: number) => void) => unknown
  /** Asks the process to end (SIGTERM). */
  kill: () => unknown
}

/** The URL at which a service listens, or why it does not, in one line, and its exit status where it has ended. */
export type Start = { ok: true; url: string } | { ok: false; reason: string; status: number | null }

/** How much of what a service writes is kept to explain a start that failed, in characters. */
const keptOutput = 2_000

/** How long the end of the error output is waited for after a process has ended, in milliseconds. */
const lastWordsMs = 1_000

/**
 * Waits for the line `listening on http://HOST:PORT` on standard output. Reads on after it, so that the process
 * is never blocked by a full pipe. The reason of a failure carries the last lines of the error output.
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
      output = (output + chunk).slice(-keptOutput)
      const line = /^listening on (http:\/\/\S+)\r?\n/m.exec(output)
      if (line?.[1]) settle({ ok: true, url: line[1].replace(/\/$/, '') })
    })
    const { stderr } = child
    const note = (chunk: string): void => void (errors = (errors + chunk).slice(-keptOutput))
    let allRead = stderr === null
    stderr?.setEncoding('utf8').on('data', note)
    stderr?.once('end', () => (allRead = true))
    child.once('exit', (code) => {
      const tell = (): void => settle(explain(`it ended with code ${code}`, code))
      setTimeout(tell, allRead ? 0 : lastWordsMs)
      // Its last words may still be in the pipe, and Electron takes all listeners away once it has told the end.
      queueMicrotask(() => stderr?.off('data', note).on('data', note).once('end', tell))
    })
  })
}
