/** The search of the screen in view: the first field marked with `data-screen-search`. Null where the screen has none. */
export function screenSearch(): HTMLInputElement | null {
  return document.querySelector<HTMLInputElement>('main [data-screen-search] input')
}

/** Puts the focus into the screen's search, with its text selected so that the next one replaces it. */
export function focusScreenSearch(): void {
  const field = screenSearch()
  field?.focus()
  field?.select()
}
