import { computed, type ComputedRef, toRaw } from 'vue'
import { type FormContext, useForm } from '../../form/form-context'
import { fields, labelOf } from '@/domain/draft/fields'
import { isJsonObject, type Path } from '@/domain/text/json-path'

/** What a field of the resource spec knows and can do about its member. */
export interface Member {
  /** The member's accessible name: "Sidecar 1 image". */
  label: ComputedRef<string>
  /** What was entered; undefined where it is not filled in. No proxy: whoever reads inside it is not told of changes. */
  value: ComputedRef<unknown>
  error: ComputedRef<string | null>
  /** Not said while there is an error. */
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
  /** Whether something else than a list is there: it is shown as text. */
  isOdd: ComputedRef<boolean>
  add: (item: unknown) => void
  /** Takes an item out, and with the last one the list, so that nothing empty is sent. */
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
 * Fills in a member of the resource spec. The spec goes with the last member that is taken out of it, except where a
 * service wants one, which may be empty.
 */
function setInSpec(form: FormContext, path: Path, value: unknown): void {
  form.set(path, value)
  if (value !== undefined || form.valueAt(['source']) === 'external_docker') return
  const { path: specPath } = fields.resource_spec
  const spec = form.valueAt(specPath)
  if (isJsonObject(spec) && Object.keys(spec).length === 0) form.set(specPath, undefined)
}
