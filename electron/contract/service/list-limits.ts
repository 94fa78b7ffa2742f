/** Bounds of the list's paging (interface: Limits). */
export const pageLimits = { min: 1, max: 100, default: 20 } as const

/** Splits a comma-separated list of identifiers (`tag_value_ids`, `deployment_ids`), dropping blanks. */
export function splitIds(text: string | null | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
