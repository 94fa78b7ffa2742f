import { type FunctionalComponent, h, toRaw, useId } from 'vue'
import { foldName } from '@contract/core/text'
import { UntrustedText } from '@/ui/widgets/elements'

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

/** What is said under a field. Each may contain text from a service. */
export interface Notes {
  error?: string | null
  warning?: string | null
  hint?: string | null
}

const noteTones = [
  ['error', 'text-danger-text'],
  ['warning', 'text-warning-text'],
  ['hint', 'text-faint'],
] as const

/** The error of a field, or else its warning, and the hint. */
export const FieldNotes: FunctionalComponent<Notes> = ({ error, warning, hint }) => {
  const notes = { error, warning: error ? null : warning, hint }
  const lines = noteTones.flatMap(([kind, tone]) => {
    const text = notes[kind]
    return text ? h('p', { class: tone }, h(UntrustedText, { text, max: 1_000, lines: true })) : []
  })
  return lines.length > 0 ? h('div', { class: 'text-small lh-small wrap-anywhere' }, lines) : null
}

FieldNotes.props = ['error', 'warning', 'hint']

/** The id for `aria-describedby`; undefined if the field has no notes. */
export const notesId = (ids: FieldIds, { hint, warning, error }: Notes): string | undefined =>
  hint || warning || error ? ids.notes : undefined

const keys = new WeakMap<object, number>()
let lastKey = 0

/**
 * A key for a row that stays the same while rows around it change. A text has no identity, so its key is its index.
 */
export function rowKey(row: unknown, index: number): number {
  if (typeof row !== 'object' || row === null) return -index
  const plain = toRaw(row)
  const known = keys.get(plain)
  if (known !== undefined) return known
  keys.set(plain, (lastKey += 1))
  return lastKey
}

/** An option of a select field. */
export interface SelectOption {
  label: string
  value: string
  disabled?: boolean
  /** What the operator calls it. The list shows it before the label, and typing finds it. */
  nickname?: string | null
}

/**
 * The index of the option that a text means; -1 if none. Case matters if an option has only its value as a label,
 * because the text is then a value itself, such as a Git ref.
 */
export function indexOfTyped(options: readonly SelectOption[], text: string): number {
  const wanted = text.trim()
  const folded = foldName(wanted)
  const exact = options.findIndex(({ label, value }) => [value, label].includes(wanted))
  if (exact >= 0) return exact
  return options.findIndex(({ label, value, nickname }) =>
    [...(label === value ? [] : [label, value]), nickname ?? []]
      .flat()
      .some((name) => foldName(name) === folded),
  )
}

/** The options that match the text, and the text itself as an option. */
export function matchOptions(options: SelectOption[], text: string): SelectOption[] {
  if (text.trim() === '') return options
  const wanted = foldName(text.trim())
  const found = options.filter(({ label, nickname }) =>
    [label, nickname ?? ''].some((name) => foldName(name).includes(wanted)),
  )
  return indexOfTyped(options, text) >= 0 ? found : [...found, { label: text.trim(), value: text.trim() }]
}

/**
 * The index of the next enabled option from `from` in the direction of `step`, wrapping around; -1 if none.
 *
 * @param prefix with which its label begins, in lower case
 */
export function nextEnabled(options: SelectOption[], from: number, step: 1 | -1, prefix = ''): number {
  for (let tried = 1; tried <= options.length; tried += 1) {
    const index = (from + step * tried + options.length * 2) % options.length
    const { disabled = false, label = '' } = options[index] ?? {}
    if (!disabled && label.toLocaleLowerCase().startsWith(prefix)) return index
  }
  return -1
}
