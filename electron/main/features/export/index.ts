import { access, type FileHandle } from 'node:fs/promises'
import {
  type Answers,
  type CallOutput,
  cancelledFailure,
  type Failure,
  fail,
  failure,
  type Outcome,
  type ParsedCallInput,
  succeed,
} from '@contract'
import type { ExportProgress, ExportRequest } from '@contract/cache'
import { throttle } from '../../async'
import { environmentChangedFailure } from '../../environments/known'
import { fileNameOf, writeChosen } from '../../window/chosen-files'
import type { FileDialogs } from '../../window/file-dialogs'
import { type Batch, type ExportSources, readBatches } from './batches'

export interface ExportOptions extends ExportSources {
  askWhere: FileDialogs['askWhere']
  progress: (progress: ExportProgress) => void
  /** An environment's name; null if there is none. */
  nameOf: (environmentId: string) => string | null
  /** What an environment leads to (`Environment.service`); null if that isn't known. */
  serviceOf: (environmentId: string) => string | null
  /** Shows a file in its folder, in the system's file manager. */
  showFile: (path: string) => void
}

type Exported = Omit<CallOutput<'deployments.export'>, 'path'>

export type Exports = ReturnType<typeof createExports>

/**
 * Exports lists. A list goes into a file beside the chosen one, which takes its place at the end, so that an export
 * that fails or is cancelled changes nothing.
 */
export function createExports(options: ExportOptions) {
  const { askWhere } = options
  const closing = new AbortController()
  const running = new Set<Promise<unknown>>()
  let last: string | null = null

  async function writeTo(
    file: FileHandle,
    environmentId: string,
    request: ExportRequest,
    signal: AbortSignal,
  ): Promise<Outcome<Exported>> {
    const { list, format, separator } = request
    // Loaded when needed: a start doesn't use it.
    const { formatWriter } = await import('./formats')
    const writer = formatWriter(format, list.from, separator)
    const done: Exported = { written: 0, unreadable: 0, mayBeIncomplete: false }
    let total: number | null = null
    let service: string | null = null
    const report = throttle(() => options.progress({ environmentId, written: done.written, total }), 250)
    const append = (text: string): Promise<void> => file.appendFile(text)
    try {
      await append(writer.begin)
      for await (const outcome of readBatches(options, environmentId, list, signal)) {
        if (signal.aborted) return fail(signal.reason as Failure)
        if (!outcome.ok) return outcome
        const now = options.serviceOf(environmentId)
        // After an edit, the rest would be another service's.
        if (service !== null && now !== service) return fail(environmentChangedFailure)
        service = now
        const batch: Batch = outcome.value
        await append(writer.rows(batch.deployments, done.written === 0))
        done.written += batch.deployments.length
        done.unreadable += batch.unreadable
        done.mayBeIncomplete ||= batch.mayBeIncomplete
        total = batch.total
        report()
      }
      await append(writer.end)
      return succeed(done)
    } finally {
      report.cancel()
    }
  }

  async function save(
    { environmentId, request }: ParsedCallInput<'deployments.export'>,
    path: string,
    signal: AbortSignal,
  ): Promise<Outcome<CallOutput<'deployments.export'>>> {
    const write = async (file: FileHandle): Promise<Outcome<Exported>> => {
      const written = await writeTo(file, environmentId, request, signal)
      // Finishing the file may have taken a while.
      return written.ok && signal.aborted ? fail(signal.reason as Failure) : written
    }
    const written = await writeChosen(path, 'The list', write)
    if (!written.ok) return written
    last = path
    return succeed({ path, ...written.value })
  }

  const answers: Pick<Answers<'deployments'>, 'deployments.export' | 'deployments.showExport'> = {
    async 'deployments.export'(input, signal) {
      const { format } = input.request
      const path = await askWhere(format, `${suggestedName(options.nameOf(input.environmentId))}.${format}`)
      if (path === null) return succeed({ path, written: 0, unreadable: 0, mayBeIncomplete: false })
      if (signal.aborted) return fail(signal.reason as Failure)
      const saved = save(input, path, AbortSignal.any([signal, closing.signal]))
      running.add(saved)
      return await saved.finally(() => running.delete(saved))
    },

    async 'deployments.showExport'() {
      const path = last
      const isThere =
        path !== null &&
        (await access(path)
          .then(() => true)
          .catch(() => false))
      if (!isThere) return fail(failure('not-found', 'The exported file is no longer there.'))
      options.showFile(path)
      return succeed(null)
    },
  }

  return {
    answers,

    /** Cancels all exports. Resolves once their files are removed. */
    async close(): Promise<void> {
      closing.abort(cancelledFailure)
      await Promise.all(running)
    },
  }
}

/** A name with the environment and the local date, so that another export doesn't overwrite the file. */
function suggestedName(environment: string | null): string {
  const now = new Date()
  const day = [now.getFullYear(), now.getMonth() + 1, now.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-')
  return `deployments-${fileNameOf(environment ?? '', 'environment')}-${day}`
}
