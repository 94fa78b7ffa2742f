import { useId } from 'vue'

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

/** The ids of a control, its label and its notes. */
export interface FieldIds {
  control: string
  label: string
  notes: string
}

/** Creates ids that are unique in the page. */
export function useFieldIds(): FieldIds {
  const id = useId()
  return { control: `${id}-control`, label: `${id}-label`, notes: `${id}-notes` }
}

/** The id for `aria-describedby`; undefined if the field has no notes. */
export function notesId(
  ids: FieldIds,
  notes: { hint: string | null; warning: string | null; error: string | null },
): string | undefined {
  return notes.hint || notes.warning || notes.error ? ids.notes : undefined
}

const keys = new WeakMap<object, number>()
let lastKey = 0

/** A key for a row that stays the same while rows around it change. Takes the plain object, not its reactive proxy. */
export function rowKey(row: object): number {
  const known = keys.get(row)
  if (known !== undefined) return known
  keys.set(row, (lastKey += 1))
  return lastKey
}
