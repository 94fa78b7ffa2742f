import { defineStore } from 'pinia'
import { shallowRef } from 'vue'

/**
 * The draft that the form shows, for comparing it; null if there is none, or it is empty. A store of its own: the first
 * screen loads it without any draft.
 */
export const useDraftInViewStore = defineStore('draft-in-view', () => ({
  draft: shallowRef<{ environmentId: string; id: string } | null>(null),
}))
