import type { CreateRequest, EnvironmentMode } from '@contract'
import { onScopeDispose, shallowRef, type ShallowRef, toRaw, watch } from 'vue'
import type { DraftEntry } from '@/stores/new-deployment'
import { check, type DraftFinding } from './model/check'
import { copyJson } from './model/tree'
import { requestOf } from './model/draft'

/** What a draft sends and what is to be said about it. */
export interface Checked {
  request: CreateRequest
  findings: DraftFinding[]
}

/** How long typing must pause before the draft is checked again, in milliseconds: keystrokes stay quick. */
const pauseMs = 120

/**
 * Checks the draft shortly after each change. `now` checks at once, for when something is done with the result.
 */
export function useChecked(
  entry: () => DraftEntry,
  mode: EnvironmentMode,
): { checked: ShallowRef<Checked>; now: () => Checked } {
  let timer: ReturnType<typeof setTimeout> | undefined

  const compute = (): Checked => {
    // A plain copy: reading through Vue's proxies would track every member.
    const draft = copyJson(toRaw(entry().draft))
    return { request: requestOf(draft), findings: check(draft, mode) }
  }
  const checked = shallowRef(compute())
  const now = (): Checked => {
    clearTimeout(timer)
    checked.value = compute()
    return checked.value
  }

  watch(
    () => [entry().id, entry().revision],
    ([id], [before]) => {
      clearTimeout(timer)
      if (id !== before) now()
      else timer = setTimeout(now, pauseMs)
    },
  )
  onScopeDispose(() => clearTimeout(timer))
  return { checked, now }
}
