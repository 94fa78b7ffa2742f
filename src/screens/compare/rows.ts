import type { ComparedField, Outcome } from '@domain/compare/compare'
import { groupLabels } from '@domain/compare/members'
import { outcomeLabels } from '@domain/compare/text'

/** A row of the table: the heading of a group, or a field. */
export type DifferenceRow =
  { kind: 'group'; key: string; label: string } | { kind: 'field'; key: string; field: ComparedField }

/** The rows of fields, each group under its heading. */
export function rowsOf(fields: readonly ComparedField[]): DifferenceRow[] {
  return fields.flatMap((field, index): DifferenceRow[] => {
    const { group } = field.member
    const row: DifferenceRow = { kind: 'field', key: field.key, field }
    if (group === fields[index - 1]?.member.group) return [row]
    return [{ kind: 'group', key: `group ${group}`, label: groupLabels[group] }, row]
  })
}

/** Which fields of a comparison are shown. */
export interface ShownChoice {
  onlyDifferences: boolean
  everything: boolean
}

/** The fields to show. A field that a side doesn't report is shown with the differences, since it may be one. */
export const shownFields = (
  fields: readonly ComparedField[],
  { onlyDifferences, everything }: ShownChoice,
): ComparedField[] =>
  fields.filter(
    ({ hidden, outcome }) => (everything || hidden === null) && !(onlyDifferences && outcome === 'same'),
  )

const order: readonly Outcome[] = ['differs', 'only-left', 'only-right', 'not-reported', 'same']

/** How many fields have each outcome: "3 differ", "1 only left". */
export function countsOf(fields: readonly ComparedField[]): string[] {
  return order.flatMap((outcome) => {
    const count = fields.filter((field) => field.outcome === outcome).length
    if (count === 0) return []
    const label =
      outcome === 'differs' ? (count === 1 ? 'differs' : 'differ') : outcomeLabels[outcome].toLowerCase()
    return `${count} ${label}`
  })
}
