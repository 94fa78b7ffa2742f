import { computed, type ComputedRef, toRaw } from 'vue'
import { type FormContext, useForm } from '../form-context'
import { fields, labelOf } from '@/domain/draft/fields'
import { isJsonObject, type Path } from '@/domain/text/json-path'

/** A member of the resource spec, for its field. */
export interface Member {
  /** The member's accessible name: "Sidecar 1 image". */
  label: ComputedRef<string>
  /** The entered value; undefined if there is none. No proxy: changes inside it are not tracked. */
  value: ComputedRef<unknown>
  error: ComputedRef<string | null>
  /** Null while there is an error. */
  warning: ComputedRef<string | null>
  set: (value: unknown) => void
  touch: () => void
}

/** The member of the request at a path, for a field. */
export function useMember(path: () => Path): Member {
  const form = useForm()
  const error = computed(() => form.errorAt(path()))
  return {
    label: computed(() => labelOf(path())),
    value: computed(() => toRaw(form.valueAt(path()))),
    error,
    warning: computed(() => (error.value === null ? form.warningAt(path()) : null)),
    set: (value) => setInSpec(form, path(), value),
    touch: () => form.touch(path()),
  }
}

/** A list of the request, for its rows. */
export interface List {
  items: ComputedRef<readonly unknown[]>
  /** Whether the value is not a list. It is shown as text then. */
  isOdd: ComputedRef<boolean>
  add: (item: unknown) => void
  /** Removes an item, and the list with its last item, so that no empty list is sent. */
  remove: (index: number) => void
}

export function useList(path: () => Path): List {
  const form = useForm()
  const entered = computed(() => form.valueAt(path()))
  const items = computed(() => (Array.isArray(entered.value) ? (entered.value as readonly unknown[]) : []))
  return {
    items,
    isOdd: computed(
      () => entered.value !== undefined && entered.value !== null && !Array.isArray(entered.value),
    ),
    add: (item) => form.set([...path(), items.value.length], item),
    remove: (index) => setInSpec(form, items.value.length > 1 ? [...path(), index] : path(), undefined),
  }
}

/**
 * Sets a member of the resource spec. Removing its last member removes the spec too, except for external images, which
 * need one.
 */
function setInSpec(form: FormContext, path: Path, value: unknown): void {
  form.set(path, value)
  if (value !== undefined || form.valueAt(['source']) === 'external_docker') return
  const { path: specPath } = fields.resource_spec
  const spec = form.valueAt(specPath)
  if (isJsonObject(spec) && Object.keys(spec).length === 0) form.set(specPath, undefined)
}
