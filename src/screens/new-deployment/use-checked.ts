import type { CreateRequest, EnvironmentMode } from '@contract'
import { onScopeDispose, shallowRef, type ShallowRef, toRaw, watch } from 'vue'
import { afterClick } from '@/components/form/after-click'
import { whenIdle } from '@/composables/idle'
import type { DraftEntry } from '@/stores/creation/draft-entry'
import { check } from '@/domain/draft/validate'
import type { DraftFinding } from '@/domain/draft/finding'
import { requestOf } from '@/domain/draft/draft'

/** The request that a draft sends, and the findings of the check. */
export interface Checked {
  request: CreateRequest
  findings: DraftFinding[]
}

/**
 * How long typing must pause before the draft is checked again, in milliseconds. Longer than between most keystrokes,
 * so that a check rarely delays one.
 */
const pauseMs = 300

/** After this time, in milliseconds, the draft is checked even if the page is busy. */
const timeoutMs = 500

/** A request and its findings, updated after the draft. */
interface CheckedDraft {
  request: ShallowRef<CreateRequest>
  findings: ShallowRef<DraftFinding[]>
  /** Computes both at once, and returns them. */
  now: () => Checked
  /** Updates the findings, so that a field that loses the focus early doesn't show outdated ones. */
  settle: () => void
}

/**
 * Checks the draft shortly after each change. The findings and the request are computed in separate steps, so that a
 * keystroke waits for one of them at most. Findings wait while a pointer is pressed, because their messages could move
 * what is clicked.
 */
export function useChecked(entry: () => DraftEntry, mode: EnvironmentMode): CheckedDraft {
  /** Cancels the next step. */
  let cancelNext = (): void => undefined
  let isOutdated = false

  // Without Vue's proxies, which would track every member. `requestOf` makes a copy.
  const requestNow = (): CreateRequest => requestOf(toRaw(entry().draft))
  const findingsNow = (): DraftFinding[] => check(toRaw(entry().draft), mode)
  const request = shallowRef(requestNow())
  const findings = shallowRef(findingsNow())

  function renewFindings(): void {
    isOutdated = false
    const found = findingsNow()
    // Every field of the form depends on them, so they change only if they differ.
    if (JSON.stringify(found) !== JSON.stringify(findings.value)) findings.value = found
  }

  function settle(): void {
    if (isOutdated) renewFindings()
  }

  function now(): Checked {
    cancelNext()
    renewFindings()
    request.value = requestNow()
    return { request: request.value, findings: findings.value }
  }

  function soon(): void {
    isOutdated = true
    const tasks = [() => afterClick(settle), () => (request.value = requestNow())]
    const next = (): void => {
      const step = tasks.shift()
      if (!step) return
      cancelNext = whenIdle(() => {
        step()
        next()
      }, timeoutMs)
    }
    const timer = setTimeout(next, pauseMs)
    cancelNext = () => clearTimeout(timer)
  }

  watch(
    () => [entry().id, entry().revision],
    ([id], [before]) => {
      cancelNext()
      if (id === before) soon()
      else now()
    },
  )
  onScopeDispose(() => cancelNext())
  return { request, findings, now, settle }
}
