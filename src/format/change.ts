import type { HistoryEntry } from '@contract/cache'
import { statusLook } from './deployment-status'

type Change = Pick<HistoryEntry, 'kind' | 'member' | 'before' | 'after'>

const short = (revision: string | null): string => (revision === null ? 'none' : revision.slice(0, 8))
const status = (text: string | null): string => (text === null ? 'none' : statusLook(text).label)

/** What changed, in words. Texts of the service are in it as they came: show them made harmless. */
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
      return `Latest revision ${short(before)} → ${short(after)}`
    case 'active-revision':
      return `Active revision ${short(before)} → ${short(after)}`
    case 'secret-names':
      return 'Names of secrets changed'
    case 'configuration':
      return member === null ? 'More of the configuration changed' : `${member} changed`
  }
}
