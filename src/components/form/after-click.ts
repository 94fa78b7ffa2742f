/** Whether a pointer is pressed, and what waits for its release. */
let pressed = false
let waiting: (() => void)[] = []

function release(): void {
  pressed = false
  const works = waiting
  waiting = []
  // The click follows the release in the same task.
  setTimeout(() => works.forEach((work) => work()))
}

window.addEventListener('pointerdown', () => (pressed = true), true)
window.addEventListener('pointerup', release, true)
window.addEventListener('pointercancel', release, true)

/**
 * Runs `work` at once or, while a pointer is pressed, after its click. A field that shows a message on blur would
 * otherwise move a button away between press and release, and the click would be lost.
 */
export function afterClick(work: () => void): void {
  if (pressed) waiting.push(work)
  else work()
}
