import {
  type Deployment,
  type DraftNotes,
  type DraftTemplate,
  type EnvironmentMode,
  type Failure,
  type FieldIssue,
  isSecretMark,
  type Secret,
} from '@contract'
import { type Draft, isUntouched } from './draft/draft'
import { toRaw } from 'vue'

/**
 * A request typed beside the form that the form has not taken in. Values of secrets can be anywhere in it, so it never
 * leaves the page's memory.
 */
export interface UnreadText {
  language: 'json' | 'yaml'
  text: string
  /** What its environment led to when it was typed (`readableAccountKeyOf` of the app's store). */
  accountKey: string | null
}

/** A draft with what the form knows about it. */
export interface DraftEntry {
  /** Stays the same after a restart. */
  id: string
  environmentId: string
  /** The number by which drafts without a name are told apart. */
  number: number
  draft: Draft
  /** The text beside the form, while it has errors. */
  unread: UnreadText | null
  /** A text that gave way to the form's request. */
  left: UnreadText | null
  /** Counts changes, so that a change is noticed without comparing whole drafts. */
  revision: number
  /**
   * The last revision that the main process has saved whole; null before the first.
   */
  savedRevision: number | null
  /** What it was filled in from, and what to check about it. */
  notes: DraftNotes | null
  /** Fields that were visited, by path. Before the first attempt, only these show errors. */
  touched: Set<string>
  /** Whether its form opens at the first required field that is empty, instead of at the heading. */
  opensAtEmpty: boolean
  /** Whether the operator has tried to create it. From then on every error is shown. */
  attempted: boolean
  sending: boolean
  /** When it was last sent (ISO 8601), and at which revision. */
  sent: { at: string; revision: number } | null
  failure: Failure | null
  /** What the service said about members of the request. An issue goes when its field changes. */
  issues: FieldIssue[]
}

/** Creates an entry for a draft that nobody has touched or sent yet. */
export function createDraftEntry(
  environmentId: string,
  number: number,
  draft: Draft,
  notes: DraftNotes | null = null,
): DraftEntry {
  return {
    id: crypto.randomUUID(),
    environmentId,
    number,
    draft,
    unread: null,
    left: null,
    revision: 0,
    savedRevision: null,
    notes,
    touched: new Set(),
    opensAtEmpty: false,
    attempted: false,
    sending: false,
    sent: null,
    failure: null,
    issues: [],
  }
}

/** Whether nothing was entered in a draft, in its form or beside it. Such a draft is replaced without asking. */
export const isEmpty = (entry: DraftEntry): boolean => isUntouched(entry.draft) && !hasText(entry)

/** Whether a draft has a text that is not in its form. */
export const hasText = ({ unread, left }: DraftEntry): boolean => unread !== null || left !== null

/** Shown where something needs the draft's form, but the text beside it has errors. */
export const unreadTextError = "Fix or discard the request text first: it can't be read."

/** A deployment that was just created. */
export interface Created {
  deployment: Deployment
  /** What its environment led to then (`accountKeyOf` of the app's store). */
  accountKey: string
  /** Whether its status is still being read. */
  following: boolean
  /** Whether the creation was unconfirmed until the deployment was found in the list. */
  found: boolean
}

/** What the form shows in one environment, and never in another. */
export interface EnvironmentForm {
  environmentId: string
  /** The environment's mode when the form was last opened. */
  mode: EnvironmentMode
  drafts: DraftEntry[]
  currentDraftId: string
  templates: DraftTemplate[]
  /** Whether saved drafts have been read, as far as they can be read now. */
  loaded: boolean
  created: Created | null
}

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
