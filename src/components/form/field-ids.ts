import { useId } from 'vue'

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
