import { refAutoReset } from '@vueuse/core'
import { h, shallowRef, type VNode } from 'vue'
import './icon-buttons.css'
import { shownJson, shownText } from '@contract/core/text'
import { call } from '@/app/api'
import { announceDeed } from '@/app/window'

/** The result of copying, shown for a moment. */
export type CopyState = 'idle' | 'copied' | 'failed'

/** A small copy button. Not a component, because many rows have one. `more` has further attributes. */
export function copyIconButton(label: string, state: CopyState, more: Record<string, unknown> = {}): VNode {
  const { class: further = '', ...others } = more
  return h('button', {
    class: `copy-icon is-${state} ${String(further)}`,
    type: 'button',
    'aria-label': label,
    title: state === 'copied' ? 'Copied' : label,
    ...others,
  })
}

/**
 * How a text is copied.
 * - `line`: an identifier, address or path as one line, with invisible characters spelled out as on the screen.
 *   Otherwise, if it is pasted into a terminal, a line break would run a command, and a direction control would reorder
 *   what follows.
 * - `json`: the same JSON, with invisible characters escaped.
 * - `lines`: a text of several lines, each spelled out like that.
 * - `document`: the operator's own document, unchanged.
 */
export type CopiedAs = 'line' | 'lines' | 'json' | 'document'

const harmless: Record<CopiedAs, (text: string) => string> = {
  line: (text) => shownText(text, { max: Infinity }),
  lines: (text) => shownText(text, { max: Infinity, lines: true }),
  json: (text) => shownJson(text, Infinity),
  document: (text) => text,
}

/** Copies texts to the clipboard, announces and shows the result, and keeps it as `state` for a moment. */
export function useClipboard() {
  const state = refAutoReset<CopyState>('idle', 1500)
  /** The last copied text. */
  const text = shallowRef<string | null>(null)

  async function copy(wanted: string, as: CopiedAs = 'line'): Promise<void> {
    text.value = wanted
    await write(harmless[as](wanted), 'Copied')
  }

  /** Copies several texts, each on its own line. `done` is announced and shown. */
  async function copyLines(lines: readonly string[], done: string): Promise<void> {
    text.value = null
    await write(lines.map(harmless.line).join('\n'), done)
  }

  async function write(written: string, done: string): Promise<void> {
    const outcome = await call('clipboard.write', { text: written })
    state.value = outcome.ok ? 'copied' : 'failed'
    announceDeed(outcome.ok ? done : outcome.failure.message)
  }

  return { state, text, copy, copyLines }
}
