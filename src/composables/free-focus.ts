/**
 * Whether the focus is free to be moved: on a screen's heading, where a navigation puts it, or nowhere.
 *
 * @param focused the element that has the focus; null for none
 */
export const isFocusFree = (focused: Element | null): boolean => focused?.matches('h1, body') ?? true
