import { isSecretMark, type Secret } from '@contract'
import { toRaw } from 'vue'

/**
 * The marks of the main process for values that were entered here (contract: drafts), by row. They are saved and sent
 * in place of the values, so that a value stays bound to what it was entered for.
 */
const marks = new WeakMap<Secret, Mark & { value: string }>()

/** A mark, and what the environment led to when its value was saved (`readableAccountKeyOf` of the app's store). */
interface Mark {
  mark: string
  accountKey: string | null
}

/**
 * Sets the marks of rows. A mark that a row already has stays as it is.
 *
 * @param rowMarks the marks in the order of the rows; empty where a row has none
 * @param accountKey what the environment led to when the values were saved
 */
export function noteMarks(
  rows: readonly Secret[],
  rowMarks: readonly string[],
  accountKey: string | null,
): void {
  for (const [index, row] of rows.entries()) {
    const mark = rowMarks[index]
    if (mark !== markOf(row)) put(row, mark ? { mark, accountKey } : undefined)
  }
}

function put(row: Secret, known: Mark | undefined): void {
  if (known) marks.set(toRaw(row), { ...known, value: row.value })
  else forgetMark(row)
}

/** Removes the mark of a row: its value was entered again, for the environment as it is now. */
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

/** Whether the value of a row was saved for another account than this one. */
export function isForAnotherAccount(row: Secret, accountKey: string | null): boolean {
  const known = knownOf(row)
  return known !== undefined && known.accountKey !== accountKey
}

/** Whether a row has an entered value without a mark: the main process has not saved it yet. */
export function isUnmarked(row: Secret): boolean {
  return row.value !== '' && !isSecretMark(row.value) && knownOf(row) === undefined
}

/**
 * The secrets of a request with marks in place of their values, where the rows that they come from have marks. A row
 * may have been renamed or moved since: an equal value still gets its mark.
 */
export function withMarks<Sent extends Secret>(secrets: readonly Sent[], rows: readonly Secret[]): Sent[] {
  const found = marksFor(secrets, rows)
  return secrets.map((secret, index) => ({ ...secret, value: found[index]?.mark ?? secret.value }))
}

/** Gives the marks of rows to the rows that were made from them. */
export function carryMarks(from: readonly Secret[], to: readonly Secret[]): void {
  for (const [index, known] of marksFor(to, from).entries()) put(to[index]!, known)
}

/**
 * The mark of each secret's row. Of the rows with its value this is the one with its name, or else a renamed one.
 */
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
