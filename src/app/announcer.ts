import { shownText } from '@contract/core/text'
import { ref } from 'vue'

/** The text of the page's live region, which App.vue renders. */
export const announcement = ref('')

/**
 * What was just done that nothing else on the screen shows, such as copying; null for nothing. The status line shows
 * it.
 */
export const deed = ref<string | null>(null)

/** How long a deed is shown, in milliseconds. */
const deedMs = 4_000

let timer: ReturnType<typeof setTimeout> | undefined

/** Has a screen reader read a short text, such as "Copied". It may contain untrusted names. */
export function announce(text: string): void {
  const shown = shownText(text)
  // A screen reader reads the same text again only if the region changes.
  announcement.value = announcement.value === shown ? `${shown} ` : shown
}

/** Announces what was done, and shows it for a moment: copying from a menu or by a shortcut shows nothing else. */
export function announceDeed(text: string): void {
  announce(text)
  deed.value = shownText(text)
  clearTimeout(timer)
  timer = setTimeout(() => {
    deed.value = null
  }, deedMs)
}
