import { onScopeDispose, readonly, type Ref, ref, watch } from 'vue'

/** Runs `work` when the page is idle, and after `withinMs` at the latest; gives a function that cancels it. */
export function whenIdle(work: () => void, withinMs: number): () => void {
  const request = requestIdleCallback(work, { timeout: withinMs })
  return () => cancelIdleCallback(request)
}

/** A hidden window isn't painted: what waits for a paint goes on after this time, in milliseconds. */
const unpaintedMs = 500

/** Runs `work` in the first idle moment after the next frame; gives a function that cancels it. */
export function afterPaint(work: () => void): () => void {
  let cancelIdle: (() => void) | null = null
  const run = (): void => {
    cancel()
    work()
  }
  const frame = requestAnimationFrame(() => {
    cancelIdle = whenIdle(run, unpaintedMs)
  })
  const timer = setTimeout(run, unpaintedMs)
  function cancel(): void {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
    cancelIdle?.()
  }
  return cancel
}

/** Becomes true when something was first painted. `isDrawn` says whether it is in the page. */
export function usePainted(isDrawn: () => boolean): Readonly<Ref<boolean>> {
  const isPainted = ref(false)
  let cancel: (() => void) | null = null
  watch(
    isDrawn,
    (now) => {
      if (now) cancel ??= afterPaint(() => (isPainted.value = true))
    },
    { immediate: true },
  )
  onScopeDispose(() => cancel?.())
  return readonly(isPainted)
}

/** How long to wait for the first list, in milliseconds: a keychain that hangs keeps the cache closed. */
const timeoutMs = 1_000

/** How long later work waits for an idle moment, in milliseconds. */
const idleMs = 1_000

/** What shows that someone uses the window: nothing waits any longer. The pointer is over a field before it presses. */
const signsOfUse = ['pointermove', 'pointerdown', 'keydown'] as const

const isOver = ref(false)

/**
 * Whether the first list since the page was loaded was painted, or takes too long to wait for. Until then, or
 * until someone uses the window, the page leaves out what the list doesn't need: the page, the main process and the
 * cache process share few processors.
 */
export const isFirstListPainted = readonly(isOver)

/** Waits for the first list, which is in the page once `isDrawn`. The screen with the list calls it. */
export function awaitFirstList(isDrawn: () => boolean): void {
  if (isOver.value) return
  const isPainted = usePainted(isDrawn)
  const end = (): void => void (isOver.value = true)
  watch(isPainted, end)
  const timer = setTimeout(end, timeoutMs)
  const used = new AbortController()
  const note = (event: MouseEvent | KeyboardEvent): void => {
    if (!isAtRest(event)) end()
  }
  for (const sign of signsOfUse) window.addEventListener(sign, note, { signal: used.signal, capture: true })
  watch(isOver, () => used.abort())
  onScopeDispose(() => {
    clearTimeout(timer)
    used.abort()
  })
}

/** Whether an event only tells that the window opened under the pointer. */
const isAtRest = (event: MouseEvent | KeyboardEvent): boolean =>
  event instanceof MouseEvent &&
  event.type === 'pointermove' &&
  event.movementX === 0 &&
  event.movementY === 0

/** Runs `work` once the page is idle, after the first list, unless the scope has ended by then. */
export function afterFirstList(work: () => void): void {
  let cancel: (() => void) | null = null
  watch(
    isOver,
    (now) => {
      if (now) cancel ??= whenIdle(work, idleMs)
    },
    { immediate: true },
  )
  onScopeDispose(() => cancel?.())
}
