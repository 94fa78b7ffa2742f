/** Whether a pointer is pressed, and what waits for its release. */
let pressed = false
let waiting: (() => void)[] = []

function release(): void {
  pressed = false
  const works = waiting
  waiting = []
  // The click follows the release in the same task, so this runs after it.
  setTimeout(() => works.forEach((work) => work()))
}

window.addEventListener('pointerdown', () => (pressed = true), true)
window.addEventListener('pointerup', release, true)
window.addEventListener('pointercancel', release, true)

/**
 * Runs `work` at once or, while a pointer is pressed, after its click. Otherwise, a message that a field shows on blur
 * could move a button away between press and release, and the click would be lost.
 */
export function afterClick(work: () => void): void {
  if (pressed) waiting.push(work)
  else work()
}
