import { onScopeDispose, shallowRef } from 'vue'
import { shownJson, shownText } from '@contract/core/untrusted-text'
import { call } from '@/api'
import { announce } from '../../composables/announcer'
import type { CopyState } from './copy-icon-button'

/**
 * How a text is copied. An identifier, an address or a path becomes one line, in which unseen characters are written
 * out as on the screen: pasted into a terminal or a document, a line break would execute what stands before it, and a
 * direction control would turn what stands after it. JSON stays the same JSON, with escapes for them. A document of
 * the user's own is copied as it is.
 */
export type CopiedAs = 'line' | 'json' | 'document'

const harmless: Record<CopiedAs, (text: string) => string> = {
  line: (text) => shownText(text, { most: Infinity }),
  json: (text) => shownJson(text, Infinity),
  document: (text) => text,
}

/** Copies texts to the clipboard, says so to screen readers, and tells for a moment how the last one went. */
export function useClipboard() {
  const state = shallowRef<CopyState>('idle')
  /** The text that was copied last. */
  const text = shallowRef<string | null>(null)
  let timer: ReturnType<typeof setTimeout> | undefined

  async function copy(wanted: string, as: CopiedAs = 'line'): Promise<void> {
    const outcome = await call('clipboard.write', { text: harmless[as](wanted) })
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
