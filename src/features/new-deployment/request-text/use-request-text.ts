import type { CreateRequest } from '@contract'
import type { CodeLanguage, TextProblem } from '@/ui/widgets/editor'
import { masked, requestOf, withoutBlanks } from '../draft/draft'
import { isJsonObject, isSame, valueAt } from '@/ui/format/json-path'
import { writeYamlLike } from '../draft/text'
import { useTimeoutFn } from '@vueuse/core'
import { onScopeDispose, ref, toRaw, watch } from 'vue'
import { useAppStore } from '@/app/stores/app'
import { useDraftsStore } from '../drafts'
import type { DraftEntry, UnreadText } from '../draft-entry'
import { languages, readRequest, draftWith } from './read-request'

/**
 * Returns `after` with equal parts taken from `before`, so that unchanged rows of the form keep their identity. Takes
 * plain values, no proxies.
 */
function reuse<T>(before: unknown, after: T): T {
  if (isSame(before, after)) return before as T
  const reused = (member: unknown, name: string | number): unknown => reuse(valueAt(before, [name]), member)
  if (Array.isArray(after)) return after.map(reused) as T
  if (!isJsonObject(after)) return after
  return Object.fromEntries(Object.entries(after).map(([name, member]) => [name, reused(member, name)])) as T
}

/** How long typing must pause before the form follows the text, in milliseconds, so that keystrokes stay fast. */
const pauseMs = 100

/** The last chosen language, shared by all drafts, also after other screens were open. */
const language = ref<CodeLanguage>('json')

/**
 * The request of a draft as editable text. Text that can be parsed changes the draft, after a short pause, and stays as
 * typed. Other text leaves the draft unchanged and stays with its entry (`unread`). A change of the draft, seen in
 * `request`, rewrites the text and keeps the comments of YAML; what wasn't in the form by then is kept (`left`).
 */
export function useRequestText(entry: DraftEntry, request: () => CreateRequest) {
  const store = useDraftsStore()
  const app = useAppStore()
  const text = ref('')
  /** Whether the text was typed, and is taken in soon. */
  let isTyped = false
  /** Whether the text shows what it shouldn't keep: the value of a secret, or blanks that aren't sent. */
  let hasUnsent = false
  /** The last YAML that could be read, for its comments. */
  let yaml = ''
  /** The request that the text shows. */
  let shown = ''
  const typing = useTimeoutFn(follow, pauseMs, { immediate: false })
  /** Values behind masks by secret name; only those entered for the environment as it is now. */
  const remembered = new Map<string, string>()

  const draftNow = () => toRaw(entry.draft)
  const textNow = (problems: readonly TextProblem[] = []): UnreadText => ({
    language: language.value,
    text: text.value,
    problems,
    isFromBefore: false,
  })

  function write(now: CreateRequest): void {
    const request = masked(now)
    if (language.value === 'yaml') text.value = yaml = writeYamlLike(yaml, request)
    else text.value = languages.json.write(request)
    isTyped = hasUnsent = false
    shown = JSON.stringify(now)
  }

  const rewrite = (): void => write(requestOf(draftNow()))

  /** Has the form take in what was typed. */
  function follow(): void {
    typing.stop()
    if (!isTyped) return
    isTyped = hasUnsent = false
    const before = draftNow()
    const { entered } = before
    const reading = readRequest(text.value, language.value, { before: entered, remembered })
    entry.unread = reading.ok ? null : textNow(reading.problems)
    if (!reading.ok) return
    entry.left = null
    if (language.value === 'yaml') yaml = text.value
    const typed = withoutBlanks(reading.request)
    hasUnsent = JSON.stringify(masked(typed)) !== JSON.stringify(reading.shown)
    // They may be cut and pasted back.
    for (const { name, value } of entered.secrets) if (value !== '') remembered.set(name, value)
    const after = draftWith(before, typed)
    shown = JSON.stringify(requestOf(after))
    if (shown !== JSON.stringify(requestOf(before)))
      store.replace(entry, { ...after, entered: reuse(entered, after.entered) })
  }

  /** Keeps a text that isn't in the form. */
  function leave(): void {
    if (isTyped || entry.unread) entry.left = textNow()
    entry.unread = null
  }

  /** Replaces text that can't be parsed with the form's request; the text moves to `left`. */
  function giveWay(): void {
    leave()
    rewrite()
  }

  function type(typed: string): void {
    text.value = typed
    isTyped = true
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
      giveWay()
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
    text,
    type,
    /** Updates the form at once, and masks typed secret values. */
    settle() {
      follow()
      if (hasUnsent) rewrite()
    },
    choose(chosen: CodeLanguage) {
      follow()
      leave()
      language.value = chosen
      rewrite()
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
