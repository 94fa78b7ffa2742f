import type { HistoryEntry } from '@contract/cache'
import { pathLabel } from '@domain/labels/path-label'
import { shortRevisions } from '@domain/labels/revisions'
import { shownText } from '@contract/core/text'
import { statusLook } from './status'

type Change = Pick<HistoryEntry, 'kind' | 'member' | 'before' | 'after'>

/** Cut, so that both statuses fit. */
const status = (text: string | null): string =>
  text === null ? 'none' : shownText(statusLook(text).label, { max: 60 })

function revisions(before: string | null, after: string | null): string {
  const [from, to] = shortRevisions(before, after)
  return `${from ?? 'none'} → ${to ?? 'none'}`
}

/** What changed, in words. It has the service's texts as they came, so show it as untrusted text. */
export function describeChange({ kind, member, before, after }: Change): string {
  switch (kind) {
    case 'appeared':
      return `New, ${status(after)}`
    case 'gone':
      return `Gone, was ${status(before)}`
    case 'back':
      return `Back, ${status(after)}`
    case 'status':
      return `${status(before)} → ${status(after)}`
    case 'latest-revision':
      return `Latest revision ${revisions(before, after)}`
    case 'active-revision':
      return `Active revision ${revisions(before, after)}`
    case 'secret-names':
      return 'Names of secrets changed'
    case 'configuration':
      return member === null ? 'More of the configuration changed' : `${pathLabel(member)} changed`
  }
}
