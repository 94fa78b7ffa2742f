import type { Locator } from '@playwright/test'

const runs = 5

/** How far each frame scrolls, in pixels: down, and across to and fro. */
interface Step {
  down: number
  across: number
}

/**
 * Scrolls a table for two seconds from each of several parts on. Returns the times between the frames of each run, in
 * milliseconds.
 */
export async function scrollRuns(table: Locator, step: Step): Promise<number[][]> {
  const found = []
  for (let run = 0; run < runs; run += 1) {
    found.push(await table.evaluate(scroll, { from: run / runs, ...step }))
  }
  return found
}

/** Runs in the page. */
function scroll(table: Element, { from, down, across }: Step & { from: number }): Promise<number[]> {
  let scroller: Element | null = table
  const scrolls = (element: Element): boolean =>
    element.scrollHeight > element.clientHeight + 100 &&
    ['auto', 'scroll'].includes(getComputedStyle(element).overflowY)
  const inside = [...table.querySelectorAll('*')].find(scrolls)
  while (scroller && !scrolls(scroller)) scroller = scroller.parentElement
  const target = inside ?? scroller
  if (!target) throw new Error('the table does not scroll')
  target.scrollTop = target.scrollHeight * from
  const room = target.scrollWidth - target.clientWidth
  return new Promise((resolve) => {
    const times: number[] = []
    const step = (now: number): void => {
      times.push(now)
      target.scrollTop += down
      if (across > 0) target.scrollLeft = Math.abs(((times.length * across) % (2 * room + 1)) - room)
      if (times.length < 150) requestAnimationFrame(step)
      // The jump to the beginning isn't scrolling.
      else {
        resolve(
          times
            .slice(1)
            .map((time, index) => time - (times[index] ?? time))
            .slice(28),
        )
      }
    }
    requestAnimationFrame(step)
  })
}
