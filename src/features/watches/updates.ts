import type { UpdatesState } from '@contract/ipc/calls/own'
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { call, on } from '@/app/api'

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
