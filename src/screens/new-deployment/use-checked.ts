import type { CreateRequest, EnvironmentMode } from '@contract'
import { onScopeDispose, shallowRef, type ShallowRef, toRaw, watch } from 'vue'
import { whenIdle } from '@/composables/idle'
import type { DraftEntry } from '@/stores/draft-entry'
import { check } from '../../domain/draft/validate'
import type { DraftFinding } from '../../domain/draft/finding'
import { requestOf } from '../../domain/draft/draft'

/** What a draft sends and what is to be said about it. */
export interface Checked {
  request: CreateRequest
  findings: DraftFinding[]
}

/**
 * How long typing must pause before the draft is checked again, in milliseconds: longer than between most keys, so that
 * hardly one comes while it is.
 */
const pauseMs = 300

/** After this, in milliseconds, the draft is checked even while the page is busy. */
const timeoutMs = 500

/**
 * Checks the draft shortly after each change: first what is to be said about it, then, apart from that, what it sends,
 * so that a key waits for neither or one of them. `now` does both at once, for when something is done with the result.
 */
export function useChecked(
  entry: () => DraftEntry,
  mode: EnvironmentMode,
): { request: ShallowRef<CreateRequest>; findings: ShallowRef<DraftFinding[]>; now: () => Checked } {
  /** Calls off what is to be done next. */
  let callOff = (): void => undefined

  // Not through Vue's proxies, which would track every member. `requestOf` gives a copy.
  const requestNow = (): CreateRequest => requestOf(toRaw(entry().draft))
  const findingsNow = (): DraftFinding[] => check(toRaw(entry().draft), mode)
  const request = shallowRef(requestNow())
  const findings = shallowRef(findingsNow())

  function tell(found: DraftFinding[]): void {
    // Every field on the screen looks at them.
    if (JSON.stringify(found) !== JSON.stringify(findings.value)) findings.value = found
  }

  function now(): Checked {
    callOff()
    tell(findingsNow())
    request.value = requestNow()
    return { request: request.value, findings: findings.value }
  }

  function soon(): void {
    const steps = [() => tell(findingsNow()), () => (request.value = requestNow())]
    const next = (): void => {
      const step = steps.shift()
      if (!step) return
      callOff = whenIdle(() => {
        step()
        next()
      }, timeoutMs)
    }
    const timer = setTimeout(next, pauseMs)
    callOff = () => clearTimeout(timer)
  }

  watch(
    () => [entry().id, entry().revision],
    ([id], [before]) => {
      callOff()
      if (id === before) soon()
      else now()
    },
  )
  onScopeDispose(() => callOff())
  return { request, findings, now }
}
