import { onScopeDispose, shallowRef } from 'vue'
import { call } from '@/api'
import { announce } from './announce'
import type { CopyState } from './copy-icon-button'

/** Copies texts to the clipboard, says so to screen readers, and tells for a moment how the last one went. */
export function useCopy() {
  const state = shallowRef<CopyState>('idle')
  /** The text that was copied last. */
  const text = shallowRef<string | null>(null)
  let timer: ReturnType<typeof setTimeout> | undefined

  async function copy(wanted: string): Promise<void> {
    const outcome = await call('clipboard.write', { text: wanted })
    text.value = wanted
    state.value = outcome.ok ? 'copied' : 'failed'
    announce(outcome.ok ? 'Copied' : outcome.failure.message)
    clearTimeout(timer)
    timer = setTimeout(() => {
      state.value = 'idle'
    }, 1500)
  }

  onScopeDispose(() => clearTimeout(timer))
  return { state, text, copy }
}
