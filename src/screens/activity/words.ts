import { isKnownSource, type JournalEntry, sourceLabels } from '@contract'

/** What an entry shows in its row. */
export interface EntryWords {
  /** What was done, before and after the deployment's name, which `name` holds. */
  what: string
  name: string | null
  detail: string | null
  /** The word beside the dot, and the dot's tone. */
  result: string
  tone: 'good' | 'bad' | 'uncertain' | 'active'
}

/** An entry of the journal in words. */
export function entryWords(entry: JournalEntry): EntryWords {
  if (entry.kind === 'failure') {
    return { what: entry.action, name: null, detail: null, result: 'failed', tone: 'bad' }
  }
  const detail = `from ${isKnownSource(entry.source) ? sourceLabels[entry.source].toLowerCase() : entry.source}`
  const { name } = entry
  switch (entry.state) {
    case 'created':
      return { what: 'Created', name, detail, result: 'created', tone: 'good' }
    case 'sending':
      return { what: 'Creating', name, detail, result: 'sending', tone: 'active' }
    case 'refused':
      return { what: 'Tried to create', name, detail, result: 'refused', tone: 'bad' }
    case 'not-created':
      return { what: 'Tried to create', name, detail, result: 'not created', tone: 'bad' }
    case 'unclear':
      return { what: 'Tried to create', name, detail, result: 'unclear', tone: 'uncertain' }
  }
}

/** What a creation means whose answer never came. */
export const unclearAdvice =
  'The request left, but no answer arrived. The deployment may exist; Slipway looks for it in the list.'
