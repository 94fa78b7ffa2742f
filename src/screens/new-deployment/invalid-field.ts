/** The accessible name of a field of the form. */
function nameOf(field: HTMLElement): string {
  const labels =
    field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement ? field.labels : null
  const labelledBy = document.getElementById(field.getAttribute('aria-labelledby') ?? '')
  return (labels?.[0] ?? labelledBy)?.textContent.trim() ?? ''
}

/** Without the comma that a sentence has: "Secret 2, name". */
const plain = (label: string): string => label.replaceAll(',', '')

/**
 * Focuses the first invalid field in an element, or the one of a label if it is there.
 *
 * @param label what the form calls the field, as `labelOf` gives it
 */
export function focusInvalid(place: HTMLElement | null | undefined, label: string | null = null): void {
  const invalid = [...(place?.querySelectorAll<HTMLElement>('[aria-invalid="true"]') ?? [])]
  const named = label === null ? undefined : invalid.find((field) => plain(nameOf(field)) === plain(label))
  const field = named ?? invalid[0]
  field?.focus()
  field?.scrollIntoView({ block: 'nearest' })
}
