/** The accessible name of a field of the form. */
function nameOf(field: HTMLElement): string {
  const labels =
    field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement ? field.labels : null
  const labelledBy = document.getElementById(field.getAttribute('aria-labelledby') ?? '')
  return (labels?.[0] ?? labelledBy)?.textContent.trim() ?? ''
}

/** Removes the comma of a label in a sentence: "Secret 2, name". */
const plain = (label: string): string => label.replaceAll(',', '')

/**
 * Focuses the invalid field with a label in an element, otherwise the first invalid one.
 *
 * @param label the field's label, from `labelOf`
 */
export function focusInvalid(place: HTMLElement | null | undefined, label: string | null = null): void {
  const invalid = [...(place?.querySelectorAll<HTMLElement>('[aria-invalid="true"]') ?? [])]
  const named = label === null ? undefined : invalid.find((field) => plain(nameOf(field)) === plain(label))
  focus(named ?? invalid[0])
}

/**
 * Focuses the next of some text fields: the first after `from`, otherwise the first one that isn't `from`.
 *
 * @param labels the fields' labels, from `labelOf`
 * @param from the field to continue from; null for the first one
 * @returns whether there is such a field
 */
export function focusNext(
  place: HTMLElement | null,
  labels: readonly string[],
  from: HTMLElement | null,
): boolean {
  const names = new Set(labels.map(plain))
  const fields = [...(place?.querySelectorAll<HTMLElement>('input, textarea') ?? [])].filter(
    (field) => field !== from && names.has(plain(nameOf(field))),
  )
  const isAfter = (field: HTMLElement): boolean =>
    ((from?.compareDocumentPosition(field) ?? 0) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0
  const next = fields.find(isAfter) ?? fields[0]
  focus(next)
  return next !== undefined
}

function focus(field: HTMLElement | undefined): void {
  field?.focus()
  field?.scrollIntoView({ block: 'nearest' })
}
