import type { CreateRequest } from '@contract'
import type { CodeLanguage, TextProblem } from '@/ui/widgets/editor'
import { type EnteredRequest, masked, requestOf, withoutBlanks } from '../draft/draft'
import { isJsonObject, valueAt } from '@/ui/format/json-path'
import { writeYamlLike } from '../draft/yaml'
import { useTimeoutFn } from '@vueuse/core'
import { computed, onScopeDispose, ref, shallowRef, toRaw, watch } from 'vue'
import { useAppStore } from '@/app/stores/app'
import { useDraftsStore } from '../drafts'
import type { DraftEntry, UnreadText } from '../draft-entry'
import { languages, readRequest, draftWith, type KnownSecrets } from './read-request'

/**
 * Returns `after` with equal parts taken from `before`, so that unchanged rows of the form keep their identity. Takes
 * plain values, no proxies.
 */
function reuse<T>(before: unknown, after: T): T {
  if (JSON.stringify(before) === JSON.stringify(after)) return before as T
  const reused = (member: unknown, name: string | number): unknown => reuse(valueAt(before, [name]), member)
  if (Array.isArray(after)) return after.map(reused) as T
  if (!isJsonObject(after)) return after
  return Object.fromEntries(Object.entries(after).map(([name, member]) => [name, reused(member, name)])) as T
}

/** How long typing must pause before the form follows the text, in milliseconds, so that keystrokes stay fast. */
const pauseMs = 100

/** The last chosen language, shared by all drafts, also after other screens were open. */
const language = ref<CodeLanguage>('json')

/** A text, and how it stands to the form. */
interface TextState {
  text: string
  /** Taken in by the form or written by it; typed, and taken in soon; or impossible to take in. */
  is: 'shown' | 'typed' | 'unread'
  /** Why the text is not in the form. */
  problems: readonly TextProblem[]
  /** Whether the text shows what it shouldn't keep: the value of a secret, or blanks that aren't sent. */
  hasUnsent: boolean
  /** The last YAML that could be read, for its comments. */
  yaml: string
}

/** The text that shows a request, in place of another one. */
function written({ yaml }: TextState, request: CreateRequest): TextState {
  const shown = masked(request)
  const isYaml = language.value === 'yaml'
  const text = isYaml ? writeYamlLike(yaml, shown) : languages.json.write(shown)
  return { text, is: 'shown', problems: [], hasUnsent: false, yaml: isYaml ? text : yaml }
}

/** A typed text once the form was asked to take it in, and the request that it is then; null if it can't be. */
function taken(state: TextState, known: KnownSecrets): [TextState, EnteredRequest | null] {
  const { text } = state
  const reading = readRequest(text, language.value, known)
  if (!reading.ok) return [{ ...state, is: 'unread', problems: reading.problems, hasUnsent: false }, null]
  const request = withoutBlanks(reading.request)
  const hasUnsent = JSON.stringify(masked(request)) !== JSON.stringify(reading.shown)
  const yaml = language.value === 'yaml' ? text : state.yaml
  return [{ ...state, is: 'shown', problems: [], hasUnsent, yaml }, request]
}

/**
 * The request of a draft as editable text. Text that can be parsed changes the draft, after a short pause, and stays as
 * typed. Other text leaves the draft unchanged and stays with its entry (`unread`). A change of the draft, seen in
 * `request`, rewrites the text and keeps the comments of YAML; what wasn't in the form by then is kept (`left`).
 */
export function useRequestText(entry: DraftEntry, request: () => CreateRequest) {
  const store = useDraftsStore()
  const app = useAppStore()
  const state = shallowRef<TextState>({
    text: '',
    is: 'shown',
    problems: [],
    hasUnsent: false,
    yaml: '',
  })
  /** The request that the text shows. */
  let shown = ''
  const typing = useTimeoutFn(follow, pauseMs, { immediate: false })
  /** Values behind masks by secret name; only those entered for the environment as it is now. */
  const remembered = new Map<string, string>()

  const draftNow = () => toRaw(entry.draft)
  const textNow = (): UnreadText => ({
    language: language.value,
    text: state.value.text,
    isFromBefore: false,
  })

  function write(now: CreateRequest): void {
    state.value = written(state.value, now)
    shown = JSON.stringify(now)
  }

  /** Has the form take in what was typed. */
  function follow(): void {
    typing.stop()
    if (state.value.is !== 'typed') return
    const before = draftNow()
    const { entered } = before
    const [next, typed] = taken(state.value, { before: entered, remembered })
    state.value = next
    entry.unread = typed ? null : textNow()
    if (!typed) return
    entry.left = null
    // They may be cut and pasted back.
    for (const { name, value } of entered.secrets) if (value !== '') remembered.set(name, value)
    const after = draftWith(before, typed)
    shown = JSON.stringify(requestOf(after))
    if (shown !== JSON.stringify(requestOf(before)))
      store.replace(entry, { ...after, entered: reuse(entered, after.entered) })
  }

  /** Keeps a text that isn't in the form. */
  function leave(): void {
    if (state.value.is !== 'shown') entry.left = textNow()
    entry.unread = null
  }

  /** Replaces text that can't be parsed with the form's request; the text moves to `left`. */
  function giveWay(): void {
    leave()
    write(requestOf(draftNow()))
  }

  function type(text: string): void {
    state.value = { ...state.value, text, is: 'typed' }
    typing.start()
  }

  function show(typed: UnreadText): void {
    language.value = typed.language
    type(typed.text)
    follow()
  }

  watch(request, (now) => {
    if (JSON.stringify(now) === shown) return
    leave()
    write(now)
  })
  // At once, since text typed from now on is for the environment as it is now.
  watch(
    () => app.accountKeyOf(entry.environmentId),
    () => {
      remembered.clear()
      if (state.value.is !== 'shown') giveWay()
      if (entry.left) entry.left.isFromBefore = true
    },
    { flush: 'sync' },
  )
  onScopeDispose(follow)
  write(request())
  // The text of an earlier visit.
  if (entry.unread) show(entry.unread)

  return {
    language,
    text: computed(() => state.value.text),
    problems: computed(() => state.value.problems),
    type,
    /** Updates the form at once, and masks typed secret values. */
    settle() {
      follow()
      if (state.value.hasUnsent) write(requestOf(draftNow()))
    },
    choose(chosen: CodeLanguage) {
      follow()
      leave()
      language.value = chosen
      write(requestOf(draftNow()))
    },
    giveWay,
    /** Restores the text in `left`. */
    bringBack() {
      const { left } = entry
      entry.left = null
      if (left) show(left)
    },
  }
}
