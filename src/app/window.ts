import { onBeforeUnmount, onMounted, onScopeDispose, readonly, ref, type Ref } from 'vue'

/** Whether the window is on macOS, whose shortcuts use the Command key. */
export const onMac = navigator.platform.startsWith('Mac')

/** Whether a media query matches, such as `(min-height: 640px)`, as long as the scope lives. */
export function useMediaQuery(text: string): Readonly<Ref<boolean>> {
  const query = window.matchMedia(text)
  const matches = ref(query.matches)
  const update = (): void => void (matches.value = query.matches)
  query.addEventListener('change', update)
  onScopeDispose(() => query.removeEventListener('change', update))
  return readonly(matches)
}

/** Listens to an event of the window as long as the component is mounted. */
export function useWindowEvent<Name extends keyof WindowEventMap>(
  name: Name,
  listener: (event: WindowEventMap[Name]) => void,
  options: AddEventListenerOptions = {},
): void {
  onMounted(() => window.addEventListener(name, listener, options))
  onBeforeUnmount(() => window.removeEventListener(name, listener, options))
}

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
