import { counted } from '@/format/count'

/** The number of items or members. Any other value counts as one. */
export function countOf(entered: unknown): number {
  if (entered === undefined || entered === null) return 0
  if (Array.isArray(entered)) return entered.length
  return typeof entered === 'object' ? Object.keys(entered).length : 1
}

/** "1 label" or "3 labels"; empty for zero. */
export const countSummary = (count: number, noun: string): string => (count === 0 ? '' : counted(count, noun))
