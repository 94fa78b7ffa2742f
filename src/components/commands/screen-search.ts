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
