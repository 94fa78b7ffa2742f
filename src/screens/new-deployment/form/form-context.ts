import { inject, type InjectionKey, provide } from 'vue'
import type { DraftEntry } from '@/stores/draft-entry'
import type { Path } from '../../../domain/text/json-path'

/** What the fields of the form share: the draft, and what is to be said about it. */
export interface FormContext {
  entry: DraftEntry
  /** The value entered at a path; undefined when there is none. */
  valueAt: (path: Path) => unknown
  /** Fills in the member at a path; undefined takes it away. */
  set: (path: Path, value: unknown) => void
  /** Notes that a field was visited, so that what is wrong with it may be shown. */
  touch: (path: Path) => void
  /** What is wrong at a path, or what the service said about it; null before the field was visited. */
  errorAt: (path: Path) => string | null
  /** The same about the member itself, without what is inside it. */
  errorOf: (path: Path) => string | null
  /** What is odd at a path; null before the field was visited. */
  warningAt: (path: Path) => string | null
  /** How often it was tried to create the deployment: then what is closed opens where something is wrong. */
  attempts: () => number
  /** How many errors there are at a path and inside it, of those that may be shown. */
  errorCount: (path: Path) => number
}

const key: InjectionKey<FormContext> = Symbol('form context')

export const provideForm = (context: FormContext): void => provide(key, context)

/** The form that a field is in. */
export function useForm(): FormContext {
  const context = inject(key)
  if (!context) throw new Error('A field of the creation form is outside of it.')
  return context
}
