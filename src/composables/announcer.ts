import { shownText } from '@contract/core/untrusted-text'
import { ref } from 'vue'

/** The text of the page's live region, which App.vue renders. */
export const announcement = ref('')

/** What was just done without a trace on the screen, such as copying; null for nothing. The status line shows it. */
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

/** Announces a deed, and shows it for a moment: what a menu or a shortcut copies leaves no other trace. */
export function announceDeed(text: string): void {
  announce(text)
  deed.value = shownText(text)
  clearTimeout(timer)
  timer = setTimeout(() => {
    deed.value = null
  }, deedMs)
}
