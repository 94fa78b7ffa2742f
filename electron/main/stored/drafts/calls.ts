import { type CallOutput, type Outcome, type ParsedCallInput, succeed } from '@contract'
import type { Drafts } from '.'
import type { FlushOnQuit } from './flush-on-quit'

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
