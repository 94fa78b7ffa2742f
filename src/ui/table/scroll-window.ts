import { onBeforeUnmount, onMounted, type Ref, shallowReactive } from 'vue'

/** Items of one size that scroll along one axis, behind a header that stays in view. Sizes are in pixels. */
export interface Axis {
  size: number
  count: number
  header: number
}

/** Indexes from the first up to, but not including, the last. */
export type IndexRange = readonly [first: number, last: number]

/**
 * The items in view, and `margin` more on either side.
 *
 * @param scrolled how far the axis is scrolled, in pixels
 * @param room how much of it is seen, header included, in pixels
 */
export function rangeInView(
  { size, count, header }: Axis,
  scrolled: number,
  room: number,
  margin: number,
): IndexRange {
  const within = (index: number): number => Math.min(count, Math.max(0, index))
  const first = Math.floor(scrolled / size) - margin
  return [within(first), within(Math.ceil((scrolled + Math.max(0, room - header)) / size) + margin)]
}

/** How far to scroll so that an item is in view, in pixels. Takes the parameters of `rangeInView`. */
export function scrolledTo({ size, header }: Axis, index: number, scrolled: number, room: number): number {
  const start = index * size
  return Math.max(Math.min(scrolled, start), start + size + header - room)
}

/** The indexes of a range and of another one, in order. */
export function indexesOf([first, last]: IndexRange, pinned: IndexRange | null): number[] {
  const all = new Set<number>()
  for (let index = first; index < last; index += 1) all.add(index)
  for (let index = pinned?.[0] ?? 0; index < (pinned?.[1] ?? 0); index += 1) all.add(index)
  return [...all].sort((one, other) => one - other)
}

/**
 * How far an element is scrolled, and how much it shows without its scroll bars, in pixels. It is read once for each
 * frame, before anything is drawn: reading it later would lay the page out twice.
 *
 * @param start where it begins; null for the top
 */
export function useScrollView(
  scroller: Readonly<Ref<HTMLElement | null>>,
  start: { top: number; left?: number } | null,
) {
  const view = shallowReactive({ top: start?.top ?? 0, left: start?.left ?? 0, width: 0, height: 0 })
  const onScroll = (): void => {
    if (scroller.value)
      Object.assign(view, { top: scroller.value.scrollTop, left: scroller.value.scrollLeft })
  }
  const measure = (): void => {
    const { clientWidth: width = 0, clientHeight: height = 0 } = scroller.value ?? {}
    Object.assign(view, { width, height })
  }
  const observer = new ResizeObserver(measure)
  onMounted(() => {
    const element = scroller.value
    if (!element) return
    measure()
    if (start) element.scrollTop = start.top
    observer.observe(element)
    element.addEventListener('scroll', onScroll, { passive: true })
  })
  onBeforeUnmount(() => {
    observer.disconnect()
    scroller.value?.removeEventListener('scroll', onScroll)
  })
  return view
}
