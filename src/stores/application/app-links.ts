import type { CallOutput } from '@contract'
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { call, on } from '@/api'

/** The latest link of Slipway that the system handed over, until it was followed or dismissed. */
export const useAppLinksStore = defineStore('app-links', () => {
  /** Its `link` is null if it leads nowhere. */
  const arrived = shallowRef<CallOutput<'appLinks.take'>>(null)

  async function take(): Promise<void> {
    const outcome = await call('appLinks.take', {})
    if (!outcome.ok || !outcome.value) return
    arrived.value = outcome.value
  }

  /** Takes a link that came before the page, and those that come from now on. Gives the function that ends it. */
  function start(): () => void {
    void take()
    return on('appLinks.arrived', () => void take())
  }

  function done(): void {
    arrived.value = null
  }

  return { arrived, start, done }
})
