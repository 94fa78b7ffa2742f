import { defineStore } from 'pinia'
import { computed } from 'vue'
import { call } from '../api'
import { useFollowed } from './resource'

/** The main process's notices about Slipway's files, keys and window. */
export const useNoticesStore = defineStore('notices', () => {
  const { state, load } = useFollowed('app.notices', () => call('app.notices', {}))
  const all = computed(() => state.value ?? [])
  /** Why the journal may be incomplete; null where it is complete. */
  const journal = computed(() => all.value.find(({ about }) => about === 'journal')?.text ?? null)
  void load()

  return { all, journal }
})

/** The notice of a newer version, and whether there may be one. */
export const useUpdatesStore = defineStore('updates', () => {
  const { state, load } = useFollowed('updates.changed', () => call('updates.state', {}))
  const choose = (isOn: boolean): void => void call('updates.choose', { isOn })
  const dismiss = (version: string): void => void call('updates.dismiss', { version })

  return { state, load, choose, dismiss }
})
