import { raceTimeout } from '../../async'
import { type CallOutput, type Outcome, type ParsedCallInput, succeed } from '@contract'
import type { Drafts } from '.'

/** Makes the form, or another editor, save what it hasn't saved yet, before the application quits. */
export interface FlushOnQuit {
  /** Call it once there is a form that answers. */
  noteForm: () => void
  /** Call it when the form has saved everything. */
  noteFlushed: () => void
  /** Makes the form save everything. Waits no longer than a working form takes. */
  flush: () => Promise<void>
}

/**
 * @param request asks the form to save; gives false if there is no window
 * @param timeoutMs how long to wait, in milliseconds. A working form answers at once, but on a busy machine that may
 * take seconds, and the latest input is worth the wait
 */
export function createFlushOnQuit(request: () => boolean, timeoutMs = 4_000): FlushOnQuit {
  let hasForm = false
  let noteFlushed = (): void => undefined
  return {
    noteForm: () => {
      hasForm = true
    },
    noteFlushed: () => noteFlushed(),
    async flush() {
      if (!hasForm) return
      const flushed = new Promise<void>((resolve) => (noteFlushed = resolve))
      if (request()) await raceTimeout(flushed, timeoutMs)
    },
  }
}

type DraftCall =
  | 'drafts.list'
  | 'drafts.save'
  | 'drafts.remove'
  | 'drafts.saveTemplate'
  | 'drafts.removeTemplate'
  | 'drafts.retry'
  | 'drafts.flushed'

/** The handlers of the calls `drafts.*`. */
export type DraftCalls = {
  [Name in DraftCall]: (
    input: ParsedCallInput<Name>,
  ) => Outcome<CallOutput<Name>> | Promise<Outcome<CallOutput<Name>>>
}

export function createDraftCalls(drafts: Drafts, flushOnQuit: FlushOnQuit): DraftCalls {
  return {
    'drafts.list': async ({ environmentId }) => {
      // Only the form lists drafts, so from now on it can be asked for unsaved ones.
      flushOnQuit.noteForm()
      return succeed(await drafts.list(environmentId))
    },
    'drafts.save': ({ environmentId, draft, current }) => succeed(drafts.save(environmentId, draft, current)),
    'drafts.remove': ({ environmentId, id }) => succeed(drafts.remove(environmentId, id)),
    'drafts.saveTemplate': ({ environmentId, template }) => drafts.saveTemplate(environmentId, template),
    'drafts.removeTemplate': ({ environmentId, id }) => succeed(drafts.removeTemplate(environmentId, id)),
    'drafts.retry': async () => succeed(await drafts.retry(true)),
    'drafts.flushed': () => {
      flushOnQuit.noteFlushed()
      return succeed(null)
    },
  }
}
