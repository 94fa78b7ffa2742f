import { type InjectionKey, onScopeDispose, type Ref, watch } from 'vue'

/** Whether the next screen's heading takes the focus: after every navigation but the first. */
export const headingFocus = { wanted: false }

/**
 * Whether the focus is free to be moved: on a screen's heading, where a navigation puts it, or nowhere.
 *
 * @param focused the element that has the focus; null for none
 */
export const isFocusFree = (focused: Element | null): boolean => focused?.matches('h1, body') ?? true

/**
 * The element for lists that open over the page: in the main landmark, or in their dialog, so that screen readers find
 * them near the focus. App.vue and DialogFrame.vue provide it.
 */
export const popupTarget: InjectionKey<Ref<HTMLElement | null>> = Symbol('popup target')

/** Elements where a key without Ctrl or Alt is text, or finds an item by its first letter. */
const takesText =
  'input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [role=menu], [role=listbox]'

/** Whether a key pressed in an element is meant for the text there. */
export const takesKeys = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.closest(takesText) !== null)

/** The search field of the screen in view: the first one with `data-screen-search`. Null if the screen has none. */
export function screenSearch(): HTMLInputElement | null {
  return document.querySelector<HTMLInputElement>('main [data-screen-search] input')
}

/** Focuses the screen's search field, and selects its text so that typing replaces it. */
export function focusScreenSearch(): void {
  const field = screenSearch()
  field?.focus()
  field?.select()
}

const open = new Set<symbol>()

/** Whether a dialog is open. The window's shortcuts are off while one is, but not while it disappears. */
export const isDialogOpen = (): boolean => open.size > 0

/** Counts a component as an open dialog while `shown` says so. */
export function useOpenDialog(shown: Ref<boolean>): void {
  const self = Symbol('dialog')
  watch(shown, (now) => (now ? open.add(self) : open.delete(self)), { immediate: true, flush: 'sync' })
  onScopeDispose(() => open.delete(self))
}
