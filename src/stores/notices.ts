import type { Notices } from '@contract'
import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import { call, on } from '@/api'

/** What there is to know of the files that Slipway keeps and of the window, as the main process tells it. */
export const useNoticesStore = defineStore('notices', () => {
  const all = shallowRef<Notices>([])
  /** Why the journal may not show everything that happened; null where it does. */
  const journal = computed(() => all.value.find(({ about }) => about === 'journal')?.text ?? null)

  let heard = false
  on('app.notices', (now) => {
    heard = true
    all.value = now
  })
  void call('app.notices', {}, { quiet: true }).then((outcome) => {
    // What an event has said since is newer.
    if (outcome.ok && !heard) all.value = outcome.value
  })

  return { all, journal }
})
