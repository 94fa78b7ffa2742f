import { defineStore } from 'pinia'
import { shallowRef } from 'vue'

/**
 * The draft that the form shows, for comparing it; null if there is none, or it is empty. A store of its own, since the
 * first screen loads it, and no draft.
 */
export const useDraftInViewStore = defineStore('draft-in-view', () => ({
  draft: shallowRef<{ environmentId: string; id: string } | null>(null),
}))
