import { inject, type InjectionKey, provide } from 'vue'
import type { Suggestions } from '../draft/spec-fields'
import type { Path } from '@/ui/format/json-path'

/** What the fields of a request share: its values, errors and warnings. */
export interface FormContext {
  /** The value entered at a path; undefined if there is none. */
  valueAt: (path: Path) => unknown
  /** Sets the member at a path; undefined removes it. */
  set: (path: Path, value: unknown) => void
  /** Marks a field as visited, so that its errors are shown. */
  touch: (path: Path) => void
  /** The error at a path or inside it, or the service's message; null before the field was visited. */
  errorAt: (path: Path) => string | null
  /** The error of the member itself, without those inside it. */
  errorOf: (path: Path) => string | null
  /** The warning at a path; null before the field was visited. */
  warningAt: (path: Path) => string | null
  /** The number of attempts to send it. Each opens closed sections that have errors. */
  attempts: () => number
  /** The number of shown errors at a path and inside it. */
  errorCount: (path: Path) => number
  suggestions: FormSuggestions
}

/** The values that fields suggest. */
export interface FormSuggestions {
  valuesOf: (kind: Suggestions) => readonly string[]
  /** Reads what a field suggests, once it has the focus. */
  read: (kind: Suggestions) => void
  /** What an integration is called; null if it has no name. */
  nameOf: (integration: string) => string | null
}

/** For fields that suggest nothing. */
export const noSuggestions: FormSuggestions = {
  valuesOf: () => [],
  read: () => undefined,
  nameOf: () => null,
}

const key: InjectionKey<FormContext> = Symbol('form context')

export const provideForm = (context: FormContext): void => provide(key, context)

/** The form that a field is in. */
export function useForm(): FormContext {
  const context = inject(key)
  if (!context) throw new Error('A field of the creation form is outside of it.')
  return context
}
