import { shownText } from '@contract/core/untrusted-text'
import { ref } from 'vue'

/** The text of the page's live region, which App.vue renders. */
export const announcement = ref('')

/** Has a screen reader read a short text, such as "Copied". It may contain untrusted names. */
export function announce(text: string): void {
  const shown = shownText(text)
  // A screen reader reads the same text again only if the region changes.
  announcement.value = announcement.value === shown ? `${shown} ` : shown
}
