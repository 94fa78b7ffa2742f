import { join } from 'node:path'
import {
  type DiagnosticsContent,
  type DiagnosticsSaved,
  fail,
  failure,
  type Outcome,
  succeed,
} from '@contract'
import { nodeFiles } from '../../files'
import { type Log, logFileNames } from '../../log'
import { saveChosen } from '../../window/dialogs/chosen-files'
import { type Known, summarise } from './summary'

export interface DiagnosticsOptions {
  known: () => Promise<Known>
  log: Log
  logFolder: string
  /** Asks the operator where to save; null if they cancel. */
  askWhere: (suggestedName: string) => Promise<string | null>
  /** Shows a folder in the system's file manager; gives an error message, or an empty text. */
  showFolder: (folder: string) => Promise<string>
}

/** The diagnostics bundle: it helps to find a fault, and has no secrets or names. */
export interface Diagnostics {
  /** What the bundle would contain now. */
  describe: () => Promise<Outcome<DiagnosticsContent>>
  /** Asks where, and saves the bundle there. Failures: `disk-full`, `internal`. */
  save: () => Promise<Outcome<DiagnosticsSaved>>
  /**
   * Shows the log files. Each time starts a process of the file manager that keeps running, so a call within
   * `showAgainMs` gives the outcome of the call before. Failure: `internal`.
   */
  openLogFolder: () => Promise<Outcome<null>>
}

/** After the log folder was shown, it isn't shown again for this long, in milliseconds. */
const showAgainMs = 5_000

interface BundleFile {
  name: string
  text: string
}

export function createDiagnostics(options: DiagnosticsOptions): Diagnostics {
  const { known, log, logFolder } = options
  let lastShown: { outcome: Promise<Outcome<null>>; endedAt: number } | null = null

  async function showLogFolder(): Promise<Outcome<null>> {
    const trouble = await options.showFolder(logFolder)
    if (trouble === '') return succeed(null)
    return fail(
      failure('internal', "The system couldn't show the log folder.", {
        advice: `The log files are in ${logFolder}.`,
      }),
    )
  }

  async function bundle(): Promise<[summary: BundleFile, ...logs: BundleFile[]]> {
    const summary = { name: 'summary.json', text: `${JSON.stringify(summarise(await known()), null, 2)}\n` }
    const logs: BundleFile[] = []
    for (const name of logFileNames) {
      const bytes = await nodeFiles.read(join(logFolder, name)).catch(() => null)
      if (bytes) logs.push({ name: `logs/${name}`, text: bytes.toString('utf8') })
    }
    return [summary, ...logs]
  }

  return {
    async describe() {
      const files = await bundle()
      return succeed({
        files: files.map(({ name, text }) => ({ name, bytes: Buffer.byteLength(text) })),
        summary: files[0].text,
      })
    },

    async save() {
      const day = new Date().toISOString().slice(0, 10)
      const path = await options.askWhere(`slipway-diagnostics-${day}.zip`)
      if (path === null) return succeed({ path })
      const files = await bundle()
      const { strToU8, zipSync } = await import('fflate')
      const zip = zipSync(Object.fromEntries(files.map(({ name, text }) => [name, strToU8(text)])))
      const reason = await saveChosen(path, zip, 'The diagnostics')
      if (reason) return fail(reason)
      log.info('app', 'diagnostics saved', { bytes: zip.length, files: files.length })
      return succeed({ path })
    },

    openLogFolder() {
      if (lastShown && performance.now() < lastShown.endedAt + showAgainMs) return lastShown.outcome
      const now = { outcome: showLogFolder(), endedAt: Number.POSITIVE_INFINITY }
      lastShown = now
      const end = (): void => void (now.endedAt = performance.now())
      now.outcome.then(end, end)
      return now.outcome
    },
  }
}
