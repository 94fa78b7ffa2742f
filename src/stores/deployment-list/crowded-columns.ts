import { defineStore } from 'pinia'
import { shallowRef } from 'vue'

/** The columns of the table of deployments that the window has no room for, by their keys. */
export const useCrowdedColumnsStore = defineStore('crowded-columns', () => ({
  keys: shallowRef<readonly string[]>([]),
}))
