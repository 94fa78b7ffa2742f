import type { Secret } from '@contract'
import { toRaw } from 'vue'

/**
 * The marks that the main process gave for values that were entered here (contract: drafts), by the rows that the values
 * are in. They are told and sent in the place of these, which stay bound to what they were entered for.
 */
const marks = new WeakMap<Secret, { value: string; mark: string }>()

/** Notes the marks that stand for the values of rows, in their order; none, or an empty one, stands for nothing. */
export function noteMarks(rows: readonly Secret[], given: readonly (string | undefined)[]): void {
  for (const [index, row] of rows.entries()) {
    const mark = given[index]
    if (mark) marks.set(toRaw(row), { value: row.value, mark })
    else forgetMark(row)
  }
}

/** Forgets the mark of a row: its value was entered again, for the environment as it is now. */
export function forgetMark(row: Secret): void {
  marks.delete(toRaw(row))
}

/** The mark that stands for the value of a row; undefined where there is none. */
export function markOf(row: Secret): string | undefined {
  const known = marks.get(toRaw(row))
  return known?.value === row.value ? known.mark : undefined
}

/**
 * Secrets that were made of rows, with marks in the place of their values; one without a mark keeps its value. Rows may
 * have been renamed, moved or removed on the way: an equal value is not taken for one that was entered again.
 */
export function withMarks<Made extends Secret>(secrets: readonly Made[], rows: readonly Secret[]): Made[] {
  const given = marksFor(secrets, rows)
  return secrets.map((secret, index) => ({ ...secret, value: given[index] ?? secret.value }))
}

/** Takes the marks of rows over to others that were made of them. */
export function carryMarks(from: readonly Secret[], to: readonly Secret[]): void {
  noteMarks(to, marksFor(to, from))
}

/** The mark of the row that each secret was made of: of those with its value the one with its name, or one renamed. */
function marksFor(secrets: readonly Secret[], rows: readonly Secret[]): (string | undefined)[] {
  const wanted = new Set(secrets.map(keyOf))
  const same = new Map<string, Secret>()
  const alike = new Map<string, { first: Secret; renamed: Secret[] }>()
  for (const row of rows) {
    if (row.value === '') continue
    const key = keyOf(row)
    if (!same.has(key)) same.set(key, row)
    const others = alike.get(row.value) ?? { first: row, renamed: [] }
    alike.set(row.value, others)
    if (!wanted.has(key)) others.renamed.push(row)
  }
  return secrets.map((secret) => {
    const others = alike.get(secret.value)
    const row = same.get(keyOf(secret)) ?? others?.renamed.shift() ?? others?.first
    return row && markOf(row)
  })
}

const keyOf = ({ name, value }: Secret): string => JSON.stringify([name, value])
