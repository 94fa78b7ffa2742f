import { type Deployment, type DraftNotes, type DraftTemplate, type Failure } from '@contract'
import type { TextProblem } from '@/ui/widgets/editor'
import { type Draft, isUntouched } from './draft/draft'

/**
 * A request typed beside the form that the form has not taken in. Values of secrets can be anywhere in it, so it never
 * leaves the page's memory.
 */
export interface UnreadText {
  language: 'json' | 'yaml'
  text: string
  problems: readonly TextProblem[]
  /** Whether its environment led to another service or account when it was typed. */
  isFromBefore: boolean
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
  /** The last revision that the main process has saved whole; -1 before the first, null before one was sent to it. */
  savedRevision: number | null
  /** What it was filled in from, and what to check about it. */
  notes: DraftNotes | null
  /** Fields that were visited, by path. Before the first attempt, only these show errors. */
  touched: Set<string>
  /** Whether its form opens at the first required field that is empty, instead of at the heading. */
  opensAtEmpty: boolean
  /** How often the operator has tried to create it. From the first time on, every error is shown. */
  attempts: number
  sending: boolean
  /** When it was last sent (ISO 8601), and at which revision. */
  sent: { at: string; revision: number } | null
  /** Why it wasn't created. An issue, what the service said about a member of the request, goes when that changes. */
  failure: Failure | null
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
    attempts: 0,
    sending: false,
    sent: null,
    failure: null,
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
  following?: boolean
  /** Whether the creation was unconfirmed until the deployment was found in the list. */
  found: boolean
}

/** What the form shows in one environment, and never in another. */
export interface EnvironmentForm {
  environmentId: string
  drafts: DraftEntry[]
  currentDraftId: string
  templates: DraftTemplate[]
  /** Whether saved drafts have been read, as far as they can be read now. */
  loaded: boolean
  created: Created | null
}
