import { isKeptValue, type Secret } from '@contract'
import { toRaw } from 'vue'

/**
 * The marks that the main process gave for values that were entered here (contract: drafts), by the rows that the values
 * are in. They are told and sent in the place of these, which stay bound to what they were entered for.
 */
const marks = new WeakMap<Secret, Mark & { value: string }>()

/** A mark, and how the environment led to its service when its value was told (`wayOf` of the app's store). */
interface Mark {
  mark: string
  way: string | null
}

/**
 * Notes the marks that stand for the values of rows, in their order; none, or an empty one, stands for nothing. A mark
 * that a row has already stays bound to what it was.
 *
 * @param way how the environment led to its service when the values were told
 */
export function noteMarks(rows: readonly Secret[], given: readonly string[], way: string | null): void {
  for (const [index, row] of rows.entries()) {
    const mark = given[index]
    if (mark !== markOf(row)) put(row, mark ? { mark, way } : undefined)
  }
}

function put(row: Secret, known: Mark | undefined): void {
  if (known) marks.set(toRaw(row), { value: row.value, mark: known.mark, way: known.way })
  else forgetMark(row)
}

/** Forgets the mark of a row: its value was entered again, for the environment as it is now. */
export function forgetMark(row: Secret): void {
  marks.delete(toRaw(row))
}

/** The mark that stands for the value of a row; undefined where there is none. */
export function markOf(row: Secret): string | undefined {
  return knownOf(row)?.mark
}

function knownOf(row: Secret): Mark | undefined {
  const known = marks.get(toRaw(row))
  return known?.value === row.value ? known : undefined
}

/** Whether the value of a row was told while its environment, or another one, led elsewhere than this way. */
export function isOfAnotherWay(row: Secret, way: string | null): boolean {
  const known = knownOf(row)
  return known !== undefined && known.way !== way
}

/** Whether a row has a value that was entered, and that the main process has given no mark for yet. */
export function isUnmarked(row: Secret): boolean {
  return row.value !== '' && !isKeptValue(row.value) && knownOf(row) === undefined
}

/**
 * Secrets that were made of rows, with marks in the place of their values; one without a mark keeps its value. Rows may
 * have been renamed, moved or removed on the way: an equal value is not taken for one that was entered again.
 */
export function withMarks<Made extends Secret>(secrets: readonly Made[], rows: readonly Secret[]): Made[] {
  const given = marksFor(secrets, rows)
  return secrets.map((secret, index) => ({ ...secret, value: given[index]?.mark ?? secret.value }))
}

/** Takes the marks of rows over to others that were made of them. */
export function carryMarks(from: readonly Secret[], to: readonly Secret[]): void {
  for (const [index, known] of marksFor(to, from).entries()) put(to[index]!, known)
}

/** The mark of the row that each secret was made of: of those with its value the one with its name, or one renamed. */
function marksFor(secrets: readonly Secret[], rows: readonly Secret[]): (Mark | undefined)[] {
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
    return row && knownOf(row)
  })
}

const keyOf = ({ name, value }: Secret): string => JSON.stringify([name, value])
