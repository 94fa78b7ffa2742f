import { useId } from 'vue'

/** Identifiers of a control, its label and its notes, unique in the page. */
export function useFieldIds(): { control: string; label: string; notes: string } {
  const id = useId()
  return { control: `${id}-control`, label: `${id}-label`, notes: `${id}-notes` }
}
