import { onScopeDispose, readonly, ref, type Ref } from 'vue'

/** Whether a media query matches, such as `(min-height: 640px)`, as long as the scope lives. */
export function useMediaQuery(text: string): Readonly<Ref<boolean>> {
  const query = window.matchMedia(text)
  const matches = ref(query.matches)
  const update = (): void => void (matches.value = query.matches)
  query.addEventListener('change', update)
  onScopeDispose(() => query.removeEventListener('change', update))
  return readonly(matches)
}
