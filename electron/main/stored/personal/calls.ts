import { type CallOutput, type Outcome, type ParsedCallInput, succeed } from '@contract'
import type { Agents } from './agents'
import type { Annotations } from './annotations'
import type { LastFiltersPart } from './last-filters'
import type { Recents } from './recents'
import type { Views } from './views'

type PersonalCall =
  | 'annotations.list'
  | 'annotations.save'
  | 'annotations.flushed'
  | 'views.list'
  | 'views.save'
  | 'views.remove'
  | 'views.share'
  | 'views.read'
  | 'lastFilters.read'
  | 'lastFilters.save'
  | 'recents.list'
  | 'recents.add'
  | 'agents.assign'
  | 'agents.pin'

/** The handlers of the calls about personal data. */
export type PersonalCalls = {
  [Name in PersonalCall]: (
    input: ParsedCallInput<Name>,
  ) => Outcome<CallOutput<Name>> | Promise<Outcome<CallOutput<Name>>>
}

interface PersonalParts {
  annotations: Annotations
  views: Views
  lastFilters: LastFiltersPart
  recents: Recents
  agents: Pick<Agents, 'assign' | 'pin'>
}

/** @param flushOnQuit makes the page save a note that is being typed */
export function createPersonalCalls(
  { annotations, views, lastFilters, recents, agents }: PersonalParts,
  flushOnQuit: { noteForm: () => void; noteFlushed: () => void },
): PersonalCalls {
  return {
    'annotations.list': async ({ environmentId }) => {
      // From now on the page may have a note to save.
      flushOnQuit.noteForm()
      return await annotations.list(environmentId)
    },
    'annotations.save': annotations.save,
    'annotations.flushed': () => {
      flushOnQuit.noteFlushed()
      return succeed(null)
    },
    'views.list': () => views.list(),
    'views.save': (input) => views.save(input.views),
    'views.remove': ({ ids }) => views.remove(ids),
    'views.share': ({ ids }) => views.share(ids),
    'views.read': () => views.read(),
    'lastFilters.read': ({ environmentId }) => lastFilters.read(environmentId),
    'lastFilters.save': lastFilters.save,
    'recents.list': ({ environmentId }) => recents.list(environmentId),
    'recents.add': recents.add,
    'agents.assign': agents.assign,
    'agents.pin': agents.pin,
  }
}
