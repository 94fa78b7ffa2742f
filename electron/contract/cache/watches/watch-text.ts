import type { NoticeEntry } from './watches'

/** The text of a notice about a deployment, without its name. Free of zod, because the first screen loads it. */
export function entryText(
  { kind, what, before, after, minutes }: NoticeEntry,
  statusLabel: (status: string) => string = (status) => status,
): string {
  switch (kind) {
    case 'gone':
      return 'Deleted: the service no longer has it'
    case 'stuck':
      return `Not active after ${minutes === 1 ? '1 minute' : `${minutes} minutes`}`
    case 'active':
      return after === null ? 'Active again' : `Revision ${after} is active`
    case 'appeared':
      return what === 'back' ? 'The service has it again' : `New in ${after ?? 'the list'}`
    case 'changed':
      if (what === 'revision') return `New revision ${after ?? ''}, not active yet`
      if (what === 'active-revision') return `Revision ${after ?? ''} is active`
      if (what === 'runs') return `Runs ${after ?? 'something else'}`
      return `${statusLabel(before ?? '')}, now ${statusLabel(after ?? '')}`
  }
}
