import { shownText } from '@contract/core/untrusted-text'
import { ref } from 'vue'

/** What the page's live region reads out; App.vue renders it. */
export const announcement = ref('')

/** Has a screen reader say a short text that is otherwise only seen, such as "Copied"; names in it may be chosen by others. */
export function announce(text: string): void {
  const shown = shownText(text)
  // The same text twice in a row is said again only when the region changes in between.
  announcement.value = announcement.value === shown ? `${shown} ` : shown
}
