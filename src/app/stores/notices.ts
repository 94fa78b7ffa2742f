import type { Notices } from '@contract'
import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import { call, on } from '../api'

/** The main process's notices about Slipway's files, keys and window. */
export const useNoticesStore = defineStore('notices', () => {
  const all = shallowRef<Notices>([])
  /** Why the journal may be incomplete; null where it is complete. */
  const journal = computed(() => all.value.find(({ about }) => about === 'journal')?.text ?? null)

  let updated = false
  on('app.notices', (now) => {
    updated = true
    all.value = now
  })
  void call('app.notices', {}).then((outcome) => {
    // An event since then is newer.
    if (outcome.ok && !updated) all.value = outcome.value
  })

  return { all, journal }
})
