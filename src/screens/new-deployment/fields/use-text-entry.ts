import { computed, type ComputedRef } from 'vue'
import { useForm } from '../form-context'
import type { Path } from '@/domain/text/json-path'

interface TextEntry {
  /** The text in the request; undefined if it has none. An imported request may have any other value there. */
  entered: ComputedRef<unknown>
  /** The note below the field: that the text is sent as null or empty, otherwise the hint. */
  note: ComputedRef<string | null>
  error: ComputedRef<string | null>
  warning: ComputedRef<string | null>
  /** Sets the text in the request. Empty text is not sent. */
  set: (text: string) => void
  /** Tells the form that the field lost the focus, so that its error may be shown. */
  touch: () => void
}

/** A text of the request, for a field that shows it. */
export function useTextEntry(props: {
  path: Path
  hint: string | null
  /** The request always has this member: when cleared, it stays as empty text, which the check rejects. */
  always?: boolean
}): TextEntry {
  const form = useForm()
  const entered = computed(() => form.valueAt(props.path))
  const error = computed(() => form.errorAt(props.path))
  return {
    entered,
    note: computed(() => {
      if (entered.value === null) return 'Sent as null. Type to replace it.'
      if (entered.value === '' && !props.always) return 'Sent as empty text.'
      return props.hint
    }),
    error,
    warning: computed(() => (error.value ? null : form.warningAt(props.path))),
    set: (text) => form.set(props.path, text === '' && !props.always ? undefined : text),
    touch: () => form.touch(props.path),
  }
}
