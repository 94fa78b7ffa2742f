import type { Notices } from '@contract'
import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import { call, on } from '../api'
import type { UpdatesState } from '@contract/ipc/calls/own'

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

/** The notice of a newer version, and whether there may be one. */
export const useUpdatesStore = defineStore('updates', () => {
  const state = shallowRef<UpdatesState | null>(null)

  let updated = false
  on('updates.changed', (now) => {
    updated = true
    state.value = now
  })

  /** Loads the state. Later ones arrive as events. */
  async function load(): Promise<void> {
    const outcome = await call('updates.state', {})
    // An event since then is newer.
    if (outcome.ok && !updated) state.value = outcome.value
  }

  const choose = (isOn: boolean): void => void call('updates.choose', { isOn })
  const dismiss = (version: string): void => void call('updates.dismiss', { version })

  return { state, load, choose, dismiss }
})
