import { foldName } from '@contract/core/text'

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
  const isNamed = ({ label, value }: SelectOption): boolean =>
    label !== value && [foldName(label), foldName(value)].includes(folded)
  const tests = [
    ({ value }: SelectOption) => value === wanted,
    ({ label }: SelectOption) => label === wanted,
    isNamed,
    ({ nickname }: SelectOption) => typeof nickname === 'string' && foldName(nickname) === folded,
  ]
  return tests.reduce((found, test) => (found < 0 ? options.findIndex(test) : found), -1)
}

/** Whether the label or the nickname of an option contains a text, in any form. */
function isMatch({ label, nickname }: SelectOption, text: string): boolean {
  const wanted = foldName(text.trim())
  return [label, nickname ?? ''].some((name) => foldName(name).includes(wanted))
}

/** The options that match the text, and the text itself as an option. */
export function matchOptions(options: SelectOption[], text: string): SelectOption[] {
  if (text.trim() === '') return options
  const found = options.filter((option) => isMatch(option, text))
  return indexOfTyped(options, text) >= 0 ? found : [...found, { label: text.trim(), value: text.trim() }]
}

/** The index of the next enabled option from `from` in the direction of `step`, wrapping around; -1 if none. */
export function nextEnabled(options: SelectOption[], from: number, step: 1 | -1): number {
  for (let tried = 1; tried <= options.length; tried += 1) {
    const index = (from + step * tried + options.length * 2) % options.length
    if (!options[index]?.disabled) return index
  }
  return -1
}
