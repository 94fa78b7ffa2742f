import { type CreateRequest, type Secret, urlCredentialTexts } from '@contract'
import { computed, onScopeDispose, ref, type Ref, toRaw, watch } from 'vue'
import type { CodeLanguage, TextProblem } from '@/components/code/editor'
import { useAppStore } from '@/stores/application/app'
import { useDraftsStore } from '@/stores/creation/drafts'
import type { DraftEntry, UnreadText } from '@/stores/creation/draft-entry'
import { isForAnotherAccount } from '@/stores/creation/secret-marks'
import { masked, withoutBlanks } from '@/domain/draft/request-texts'
import { requestOf } from '@/domain/draft/draft'
import { writeYamlLike } from '@/domain/text/yaml'
import { draftWith, languages, readRequest } from './read-request'
import { isJsonObject } from '@/domain/text/json-path'

/**
 * Returns `after` with equal parts taken from `before`, so that unchanged rows of the form keep their identity. Takes
 * plain values, no proxies.
 */
function reuse<T>(before: unknown, after: T): T {
  if (Array.isArray(before) && Array.isArray(after)) {
    const items = after.map((item: unknown, index) => reuse(before[index], item))
    const same = items.length === before.length && items.every((item, index) => item === before[index])
    return (same ? before : items) as T
  }
  if (isJsonObject(before) && isJsonObject(after)) {
    const members = Object.entries(after).map(([name, member]) => [
      name,
      reuse(Object.hasOwn(before, name) ? before[name] : undefined, member),
    ])
    const object = Object.fromEntries(members) as Record<string, unknown>
    const names = Object.keys(object)
    const same =
      Object.keys(before).join('\n') === names.join('\n') &&
      names.every((name) => object[name] === before[name])
    return (same ? before : object) as T
  }
  return after
}

/** How long typing must pause before the form follows the text, in milliseconds, so that keystrokes stay fast. */
const pauseMs = 100

/** The last chosen language, shared by all drafts, also after other screens were open. */
const language = ref<CodeLanguage>('json')

/** The request of a draft as editable text. */
export interface RequestText {
  language: Readonly<Ref<CodeLanguage>>
  text: Readonly<Ref<string>>
  /** Why the text is not in the form. */
  problems: Readonly<Ref<readonly TextProblem[]>>
  /** Text that wasn't in the form, for example because it can't be parsed, and that the form's request replaced. */
  left: Readonly<Ref<UnreadText | null>>
  /** Whether the environment led to another service when that text was typed. */
  leftIsFromBefore: Readonly<Ref<boolean>>
  /** Takes typed text. The form follows after a short pause, or at `settle`. */
  type: (text: string) => void
  /** Updates the form at once, and masks typed secret values. */
  settle: () => void
  choose: (language: CodeLanguage) => void
  /** Replaces text that can't be parsed with the form's request; the text moves to `left`. */
  giveWay: () => void
  /** Restores the text in `left`. */
  bringBack: () => void
}

/**
 * Keeps the text and the draft of `entry` in sync. Text that can be parsed changes the draft and stays as typed. Other
 * text leaves the draft unchanged and stays with its entry (`unread`). A change of the draft, seen in `request`,
 * rewrites the text and keeps the comments of YAML.
 */
export function useRequestText(entry: () => DraftEntry, request: () => CreateRequest): RequestText {
  const store = useDraftsStore()
  const app = useAppStore()
  const text = ref('')
  const problems = ref<readonly TextProblem[]>([])
  /** The request that the text shows. */
  let shown = ''
  /** The last valid YAML, for its comments. */
  let yaml = ''
  /** Whether the text has changes that the form doesn't have yet. */
  let pending = false
  /** Whether the text shows what it shouldn't keep: the value of a secret, or blanks that aren't sent. */
  let hasUnsent = false
  let timer: ReturnType<typeof setTimeout> | undefined
  /** The environment's account key when the text was typed; null if it couldn't be read. */
  let way: string | null = null
  /** Values behind masks by secret name; only those entered for the environment as it is now. */
  const remembered = new Map<string, string>()

  const draftNow = () => toRaw(entry().draft)
  const wayNow = () => app.readableAccountKeyOf(entry().environmentId)
  const unreadNow = (): UnreadText => ({ language: language.value, text: text.value, accountKey: way })
  const keyOf = (shownRequest: CreateRequest): string => JSON.stringify(shownRequest)

  function write(now: CreateRequest): void {
    const shownRequest = masked(now)
    if (language.value === 'yaml') yaml = writeYamlLike(yaml, shownRequest)
    text.value = language.value === 'yaml' ? yaml : languages[language.value].write(shownRequest)
    problems.value = []
    pending = false
    hasUnsent = false
    shown = keyOf(now)
  }

  function follow(): void {
    clearTimeout(timer)
    if (!pending) return
    pending = false
    const before = draftNow()
    const { secrets } = before.entered
    const reading = readRequest(text.value, language.value, { before: before.entered, remembered })
    problems.value = reading.ok ? [] : reading.problems
    entry().unread = reading.ok ? null : unreadNow()
    hasUnsent = reading.ok && reading.clear
    if (!reading.ok) return
    if (language.value === 'yaml') yaml = text.value
    remember(secrets)
    entry().left = null
    const trimmed = withoutBlanks(reading.request)
    hasUnsent ||=
      JSON.stringify(trimmed) !== JSON.stringify(reading.request) ||
      (text.value.includes('://') &&
        urlCredentialTexts({ ...trimmed, secrets: [] }).some((one) => text.value.includes(one)))
    const after = draftWith(before, trimmed)
    const now = requestOf(after)
    shown = keyOf(now)
    if (shown === keyOf(requestOf(before))) return
    store.replace(entry(), { ...after, entered: reuse(before.entered, after.entered) })
  }

  /**
   * Remembers the values of secrets that may be cut and pasted back. A pasted one has no mark, so it counts as entered
   * for the environment as it is now. Values from before an edit are therefore dropped and must be entered again.
   */
  function remember(secrets: readonly Secret[]): void {
    for (const secret of secrets) {
      if (isForAnotherAccount(secret, wayNow())) remembered.delete(secret.name)
      else if (secret.value !== '') remembered.set(secret.name, secret.value)
    }
  }

  const isNotInForm = (): boolean => pending || problems.value.length > 0

  function leave(): void {
    if (isNotInForm()) entry().left = unreadNow()
    entry().unread = null
  }

  function giveWay(): void {
    leave()
    write(requestOf(draftNow()))
  }

  function show(typed: UnreadText): void {
    language.value = typed.language
    text.value = typed.text
    way = wayNow()
    pending = true
    follow()
  }

  /** Shows the unparsed text of an earlier visit; only on request if its secrets would now go elsewhere. */
  function resume(): void {
    const { unread } = entry()
    if (!unread) return
    if (unread.accountKey === wayNow()) {
      show(unread)
      return
    }
    entry().left = unread
    entry().unread = null
  }

  watch(request, (now) => {
    if (keyOf(now) === shown) return
    leave()
    write(now)
  })
  // At once, since text typed from now on is for the environment as it is now. An unreadable environment has no account
  // key (null).
  watch(
    wayNow,
    (now) => {
      remembered.clear()
      if (now !== null && now !== way && isNotInForm()) giveWay()
    },
    { flush: 'sync' },
  )
  onScopeDispose(follow)
  write(request())
  resume()

  return {
    language,
    text,
    problems,
    left: computed(() => entry().left),
    leftIsFromBefore: computed(() => entry().left !== null && entry().left?.accountKey !== wayNow()),
    type: (typed) => {
      text.value = typed
      way = wayNow()
      pending = true
      clearTimeout(timer)
      timer = setTimeout(follow, pauseMs)
    },
    settle: () => {
      follow()
      if (hasUnsent) write(requestOf(draftNow()))
    },
    choose: (chosen) => {
      follow()
      leave()
      language.value = chosen
      write(requestOf(draftNow()))
    },
    giveWay,
    bringBack: () => {
      const { left } = entry()
      if (!left) return
      entry().left = null
      show(left)
    },
  }
}
