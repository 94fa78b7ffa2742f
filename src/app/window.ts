import { refAutoReset, useEventListener, useTimeoutFn, whenever } from '@vueuse/core'
import { nextTick, onScopeDispose, readonly, ref, type Ref, type InjectionKey, watch } from 'vue'
import { shownText } from '@contract/core/text'

/** Whether the window is on macOS, whose shortcuts use the Command key. */
export const onMac = navigator.platform.startsWith('Mac')

/**
 * Follows the pointer from a press on a handle until it is released.
 *
 * @param move receives the pointer's x, in pixels of the window
 */
export function followDrag(
  { currentTarget, pointerId }: PointerEvent,
  move: (x: number) => void,
  end: () => void,
): void {
  const handle = currentTarget as HTMLElement
  const dragging = new AbortController()
  const { signal } = dragging
  const stop = (): void => {
    dragging.abort()
    end()
  }
  handle.setPointerCapture(pointerId)
  handle.addEventListener('pointermove', ({ clientX }) => move(clientX), { signal })
  handle.addEventListener('pointerup', stop, { signal })
  handle.addEventListener('pointercancel', stop, { signal })
}

/** The paths before and after the current one, which vue-router keeps in the current history entry. */
export const historyNeighbours = (): { back?: string | null; forward?: string | null } =>
  (history.state ?? {}) as { back?: string | null; forward?: string | null }

/** Whether going back leads to a path. */
export const isBehind = (path: string): boolean => historyNeighbours().back === path

/** Whether the operator came to this screen by going back: others follow it. */
export const cameBack = (): boolean => Boolean(historyNeighbours().forward)

/** The text of the page's live region, which App.vue renders. */
export const announcement = ref('')

/**
 * What was just done that nothing else on the screen shows, such as copying; null for nothing. The status line shows
 * it.
 */
export const deed = refAutoReset<string | null>(null, 4_000)

/** Has a screen reader read a short text, such as "Copied". It may contain untrusted names. */
export function announce(text: string): void {
  const shown = shownText(text)
  // A screen reader reads the same text again only if the region changes.
  announcement.value = announcement.value === shown ? `${shown} ` : shown
}

/** Announces what was done, and shows it for a moment: copying from a menu or by a shortcut shows nothing else. */
export function announceDeed(text: string): void {
  announce(text)
  deed.value = shownText(text)
}

/** Whether the next screen's heading takes the focus: after every navigation but the first. */
export const headingFocus = { wanted: false }

/**
 * Whether the focus is free to be moved: on a screen's heading, where a navigation puts it, or nowhere.
 *
 * @param focused the element that has the focus; null for none
 */
export const isFocusFree = (focused: Element | null): boolean => focused?.matches('h1, body') ?? true

/** Passes the focus of a pressed button that is disabled by now to another one beside it. */
export async function passFocus(pressed: HTMLButtonElement): Promise<void> {
  await nextTick()
  const isHere = [pressed, document.body].includes(document.activeElement as HTMLElement)
  if (pressed.disabled && isHere)
    pressed.parentElement?.querySelector<HTMLElement>('button:not([disabled])')?.focus()
}

/**
 * The element for lists that open over the page: in the main landmark, or in their dialog, so that screen readers find
 * them near the focus. App.vue and DialogFrame.vue provide it.
 */
export const popupTarget: InjectionKey<Ref<HTMLElement | null>> = Symbol('popup target')

/** Elements where a key without Ctrl or Alt is text, or finds an item by its first letter. */
const takesText =
  'input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [role=menu], [role=listbox]'

/** Whether a key pressed in an element is meant for the text there. */
export const takesKeys = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.closest(takesText) !== null)

/** The search field of the screen in view: the first one with `data-screen-search`. Null if the screen has none. */
export function screenSearch(): HTMLInputElement | null {
  return document.querySelector<HTMLInputElement>('main [data-screen-search] input')
}

/** Focuses the screen's search field, and selects its text so that typing replaces it. */
export function focusScreenSearch(): void {
  const field = screenSearch()
  field?.focus()
  field?.select()
}

const open = new Set<symbol>()

/** Whether a dialog is open. The window's shortcuts are off while one is. */
export const isDialogOpen = (): boolean => open.size > 0

/** Counts a component as an open dialog until it is removed. */
export function useOpenDialog(): void {
  const self = Symbol('dialog')
  open.add(self)
  onScopeDispose(() => open.delete(self))
}

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

/** Schedules something as soon as a condition holds, once. The end of the scope cancels it by the given function. */
function onceWhen(condition: () => boolean, schedule: () => () => void): void {
  let cancel: (() => void) | undefined
  whenever(condition, () => (cancel = schedule()), { immediate: true, once: true })
  onScopeDispose(() => cancel?.())
}

/** Becomes true when something was first painted. `isDrawn` says whether it is in the page. */
export function usePainted(isDrawn: () => boolean): Readonly<Ref<boolean>> {
  const isPainted = ref(false)
  onceWhen(isDrawn, () => afterPaint(() => (isPainted.value = true)))
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
  useTimeoutFn(end, timeoutMs)
  const note = (event: MouseEvent | KeyboardEvent): void => {
    if (!isAtRest(event)) end()
  }
  watch(isOver, useEventListener([...signsOfUse], note, { capture: true }))
}

/** Whether an event only tells that the window opened under the pointer. */
const isAtRest = (event: MouseEvent | KeyboardEvent): boolean =>
  event instanceof MouseEvent &&
  event.type === 'pointermove' &&
  event.movementX === 0 &&
  event.movementY === 0

/** Runs `work` once the page is idle, after the first list, unless the scope has ended by then. */
export const afterFirstList = (work: () => void): void =>
  onceWhen(
    () => isOver.value,
    () => whenIdle(work, idleMs),
  )
