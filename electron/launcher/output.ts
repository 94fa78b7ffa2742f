// Sorts what Electron writes to standard error. The terminal shows what Slipway prints and anything unknown. What
// Chromium and the system's libraries report about themselves goes to a file, and is shown if the program fails.

import { createWriteStream, mkdirSync, openSync, readdirSync, rmSync, type WriteStream } from 'node:fs'
import { join } from 'node:path'
import { inProject, lastLines } from './base.mjs'

/** The folder of the logs. Each start has a file of its own, since several may run at once. */
export const engineLogs = inProject('.cache/engine-logs')

/** How many earlier logs stay, besides those of starts that still run. */
const earlierLogs = 4

/** The longest log, in characters, and how many of the last ones a failure's message may show. */
const longestLog = 4 * 1024 * 1024
const longestEnd = 8 * 1024

const noise = [
  // Chromium's own: [1234:0131/235959.123456:ERROR:bus.cc(399)], or with the level before the file only.
  /^\[\d+(?::\d+)?:\d{4}\/\d{6}(?:\.\d+)?:(?!FATAL)[A-Z]+\d*:[^\]]*\]/,
  // Gtk, GLib and dconf: (electron:1234): Gtk-WARNING **: ..., and GLib's newer form without a program.
  /^\([^)]*:\d+\): [\w-]+-(?:WARNING|CRITICAL|Message) \*\*:/i,
  /^(?:Gtk|GLib|dconf|Gdk)[\w-]*-(?:WARNING|CRITICAL|Message)/i,
  // ANGLE, where the display can't be used.
  /^ERR: \w+\.cpp:\d+ \(/,
  // Mesa, Vulkan and VA-API, where there is no graphics card.
  /^(?:libEGL|MESA|libva|libGL)\b/,
  /^Warning: (?:vkCreateInstance|loader_)/,
  /^Failed to create .* for shader cache \(.*\)---disabling\.$/,
  // The frames of a stack that Chromium prints under a report.
  /^#\d+ 0x[0-9a-f]+/,
]

/** Whether a line is a report of Chromium or of a library about itself. A fatal one isn't noise: it ends the program. */
export const isNoise = (line: string): boolean =>
  line.trim() === '' || noise.some((pattern) => pattern.test(line))

/**
 * Sorts what Electron writes to standard error: noise goes into the log only, everything else also to `show`.
 *
 * @returns `close` sorts a last line without a line break; `end` gives the last lines of the whole output, for a
 *   failure's message, and names the log
 */
export function engineOutput(
  show: (text: string) => void,
  folder = engineLogs,
): { take: (piece: string) => void; close: () => void; end: () => string } {
  const { log, file } = openLog(folder)
  let size = 0
  let rest = ''
  let recent = ''

  const sort = (line: string): void => {
    recent = `${recent}${line}\n`.slice(-longestEnd)
    if (!isNoise(line)) show(`${line}\n`)
    size += line.length + 1
    if (size <= longestLog) log?.write(`${line}\n`)
  }
  return {
    take(piece) {
      const lines = (rest + piece).split(/\r?\n/)
      rest = lines.pop() ?? ''
      lines.forEach(sort)
    },
    close() {
      if (rest !== '') sort(rest)
      rest = ''
      log?.end()
    },
    end() {
      const lines = lastLines(recent)
      if (lines === '') return 'It printed nothing.'
      return `${log ? `The end of ${file}` : 'Its last output'}:${lines}`
    },
  }
}

/**
 * Opens the log of this start, named after its time and its launcher's process, and removes the oldest logs.
 *
 * @returns no log if it can't be written, which doesn't fail the start
 */
function openLog(folder: string): { log?: WriteStream; file: string } {
  const file = join(folder, `${new Date().toISOString().replaceAll(':', '-')}-${process.pid}.log`)
  try {
    mkdirSync(folder, { recursive: true })
    const ended = readdirSync(folder).filter(
      (name) => !isRunning(Number(/-(\d+)\.log$/.exec(name)?.[1] ?? 1)),
    )
    for (const name of ended.sort().slice(0, -earlierLogs)) rmSync(join(folder, name), { force: true })
    const log = createWriteStream(file, { fd: openSync(file, 'wx', 0o600) })
    log.on('error', () => undefined)
    return { log, file }
  } catch {
    return { file }
  }
}

/**
 * Whether another process has this number, which may or may not be the one that made the log. In a container the
 * launcher may have the same number at each start.
 */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
