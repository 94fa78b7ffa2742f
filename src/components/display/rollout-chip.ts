import { shownText } from '@contract/core/text'
import { h, type VNode } from 'vue'
import type { RevisionLabel } from '@/format/deployment/revision'

/** What is to be said of a roll-out; null for nothing. */
export const rolloutChip = (rollout: RevisionLabel['rollout'], title: string): VNode | null =>
  rollout &&
  h(
    'span',
    {
      class: `word-chip ${rollout === 'failed' ? 'bg-danger-soft text-danger-text' : 'bg-warning-soft text-warning-text'}`,
      title: shownText(title),
    },
    rollout,
  )
