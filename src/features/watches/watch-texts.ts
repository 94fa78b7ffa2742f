import type { WatchView } from '@contract/cache'
import { type WatchKind, watchLimits } from '@contract/cache/choices'
import { counted, formatCount } from '@/ui/format/words'

/** The kinds of change that a watch can tell, as text for the operator. */
export const kindLabels: Record<WatchKind, string> = {
  changed: 'Changed',
  appeared: 'Appeared',
  gone: 'Deleted',
  stuck: 'Not active for long',
  active: 'Active again',
}

/** The state of a watch, as a sentence. */
export function watchStateText({ on, state, followed }: WatchView, isCurrent: boolean): string {
  if (state === 'elsewhere')
    return 'The environment now leads to another service. Nothing of this watch is asked there.'
  if (state === 'too-many')
    return `There are too many deployments to follow: ${formatCount(watchLimits.followed)} in an environment at most. Narrow the filters, or remove another watch.`
  if (state === 'waits')
    return on.kind === 'list' ? 'Begins with the next complete sync.' : 'Waits for the first answer.'
  const length = on.kind === 'list' ? `${counted(followed, 'deployment')}. ` : ''
  return isCurrent ? `${length}Followed.` : `${length}Followed while its environment is the current one.`
}

/** What a watch tells, on one line. */
export function tellsText({ tells, stuckMinutes, system }: WatchView): string {
  const kinds = tells.map((kind) =>
    kind === 'stuck' ? `not active after ${stuckMinutes} minutes` : kindLabels[kind].toLowerCase(),
  )
  return [...kinds, ...(system ? ['system notifications'] : [])].join(', ')
}
