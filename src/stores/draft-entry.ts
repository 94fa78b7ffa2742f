import type { Deployment, DraftNotes, DraftTemplate, Failure, FieldIssue } from '@contract'
import { type Draft, isUntouched } from '@/domain/draft/draft'

/**
 * A request typed beside the form that the form has not taken in. It may hold values of secrets anywhere, which nobody can
 * tell from the rest, so it never leaves the page's memory.
 */
export interface UnreadText {
  language: 'json' | 'yaml'
  text: string
  /** How its environment led to its service when it was typed (`wayOf` of the app's store). */
  way: string | null
}

/** A draft with what the form knows about it. */
export interface DraftEntry {
  /** Its identifier for as long as it lives, restarts included. */
  id: string
  environmentId: string
  /** Tells drafts without a name apart. */
  number: number
  draft: Draft
  /** The text beside the form, while it cannot be read. */
  unread: UnreadText | null
  /** One that gave way to the form's request. */
  left: UnreadText | null
  /** Whether it is from an earlier session or from before a reload. */
  restored: boolean
  /** Grows with every change, so that a change is noticed without comparing the whole draft. */
  revision: number
  /** What is to be known about what the draft was filled in from. */
  notes: DraftNotes | null
  /** Fields that have been visited, by path: only of these, errors are shown before the first attempt. */
  touched: Set<string>
  /** Whether it was attempted to create it, from when on every error is shown. */
  attempted: boolean
  sending: boolean
  /** When it was sent last (ISO 8601), and at which revision. */
  sent: { at: string; revision: number } | null
  failure: Failure | null
  /** What the service said about members of the request; one goes when its field is changed. */
  issues: FieldIssue[]
}

/** Whether nothing was entered in a draft, in its form or beside it: such a one is replaced without a word. */
export const isEmpty = (entry: DraftEntry): boolean => isUntouched(entry.draft) && !hasText(entry)

/** Whether a draft has a text that is not in its form. */
export const hasText = ({ unread, left }: DraftEntry): boolean => unread !== null || left !== null

/** A deployment that was just created. */
export interface Created {
  deployment: Deployment
  /** Where its environment led then (`placeOf` of the app's store). */
  place: string
  /** Whether its status is still asked for. */
  following: boolean
  /** Whether the answer was lost, and it was found in the list. */
  found: boolean
}

/** What the form shows in one environment, and never in another. */
export interface EnvironmentForm {
  environmentId: string
  drafts: DraftEntry[]
  currentDraftId: string
  templates: DraftTemplate[]
  /** Whether the drafts kept from before have been asked for, as far as they can be had now. */
  loaded: boolean
  created: Created | null
}
