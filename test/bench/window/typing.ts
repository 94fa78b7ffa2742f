import type { Page } from '@playwright/test'

/** Pauses between keys in milliseconds, as people type, so that the work of a key falls between some of them. */
const pauses = [60, 90, 140, 220, 450]

/** Adds an input to the page that nothing listens to: the floor of `latencies`. */
export async function addBareInput(page: Page): Promise<void> {
  await page.evaluate(() => {
    const input = document.createElement('input')
    input.setAttribute('aria-label', 'Bare input')
    input.style.cssText = 'position: fixed; top: 0; left: 0; z-index: 9999'
    document.body.append(input)
  })
}

/** Removes it: a layer over the page costs each frame that is measured later. */
export const removeBareInput = (page: Page): Promise<void> =>
  page.getByLabel('Bare input').evaluate((input) => input.remove())

/** Types into a field. Returns the time from each key to the next frame, in milliseconds. */
export async function latencies(page: Page, label: string, keys: string): Promise<number[]> {
  const field = page.getByLabel(label, { exact: true })
  await field.scrollIntoViewIfNeeded()
  await field.focus()
  await field.press('End')
  await page.evaluate(startListening)
  for (const [index, key] of [...keys].entries()) {
    await page.keyboard.press(key)
    await page.waitForTimeout(pauses[index % pauses.length]!)
  }
  return page.evaluate(stopListening)
}

interface Listening {
  times: number[]
  stop: () => void
}

function startListening(): void {
  const times: number[] = []
  const listen = (event: KeyboardEvent): void => {
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel()
      // The message comes after the frame was drawn.
      port1.onmessage = () => times.push(performance.now() - event.timeStamp)
      port2.postMessage(null)
    })
  }
  window.addEventListener('keydown', listen, true)
  const listening: Listening = { times, stop: () => window.removeEventListener('keydown', listen, true) }
  Object.assign(window, { benchListening: listening })
}

function stopListening(): number[] {
  const { benchListening } = window as unknown as { benchListening: Listening }
  benchListening.stop()
  return benchListening.times
}
