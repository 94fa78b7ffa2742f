import { defineStore } from 'pinia'
import { shallowRef } from 'vue'

/**
 * The draft in the form, for comparisons; null if there is none, or it is empty. It is a store of its own, so that the
 * first screen can load it without the drafts.
 */
export const useDraftInViewStore = defineStore('draft-in-view', () => ({
  draft: shallowRef<{ environmentId: string; id: string } | null>(null),
}))
