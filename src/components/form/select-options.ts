/** An option of a select field. */
export interface SelectOption {
  label: string
  value: string
  disabled?: boolean
}

/** The options whose label contains the text, and the text itself as an option. */
export function matchOptions(options: SelectOption[], text: string): SelectOption[] {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return options
  const found = options.filter(({ label }) => label.toLowerCase().includes(wanted))
  const exact = options.some(
    ({ label, value }) => label.toLowerCase() === wanted || value.toLowerCase() === wanted,
  )
  return exact ? found : [...found, { label: text.trim(), value: text.trim() }]
}

/** The index of the next enabled option from `from` in the direction of `step`, wrapping around; -1 if none. */
export function nextEnabled(options: SelectOption[], from: number, step: 1 | -1): number {
  for (let tried = 1; tried <= options.length; tried += 1) {
    const index = (from + step * tried + options.length * 2) % options.length
    if (!options[index]?.disabled) return index
  }
  return -1
}
