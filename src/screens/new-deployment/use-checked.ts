import type { CreateRequest, EnvironmentMode } from '@contract'
import { onScopeDispose, shallowRef, type ShallowRef, toRaw, watch } from 'vue'
import { whenIdle } from '@/composables/idle'
import type { DraftEntry } from '@/stores/draft-entry'
import { check } from '../../domain/draft/validate'
import type { DraftFinding } from '../../domain/draft/finding'
import { requestOf } from '../../domain/draft/draft'

/** The request that a draft sends, and what the check found. */
export interface Checked {
  request: CreateRequest
  findings: DraftFinding[]
}

/**
 * How long typing must pause before the draft is checked again, in milliseconds. Longer than between most keystrokes, so
 * that a check rarely delays one.
 */
const pauseMs = 300

/** After this time, in milliseconds, the draft is checked even if the page is busy. */
const timeoutMs = 500

/**
 * Checks the draft shortly after each change. The findings and the request are computed in separate steps, so that a
 * keystroke waits for one of them at most. `now` does both at once and gives the result.
 */
export function useChecked(
  entry: () => DraftEntry,
  mode: EnvironmentMode,
): { request: ShallowRef<CreateRequest>; findings: ShallowRef<DraftFinding[]>; now: () => Checked } {
  /** Cancels the next step. */
  let cancelNext = (): void => undefined

  // Without Vue's proxies, which would track every member. `requestOf` makes a copy.
  const requestNow = (): CreateRequest => requestOf(toRaw(entry().draft))
  const findingsNow = (): DraftFinding[] => check(toRaw(entry().draft), mode)
  const request = shallowRef(requestNow())
  const findings = shallowRef(findingsNow())

  function setFindings(found: DraftFinding[]): void {
    // Every field of the form depends on them, so they change only if they differ.
    if (JSON.stringify(found) !== JSON.stringify(findings.value)) findings.value = found
  }

  function now(): Checked {
    cancelNext()
    setFindings(findingsNow())
    request.value = requestNow()
    return { request: request.value, findings: findings.value }
  }

  function soon(): void {
    const steps = [() => setFindings(findingsNow()), () => (request.value = requestNow())]
    const next = (): void => {
      const step = steps.shift()
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
  return { request, findings, now }
}
