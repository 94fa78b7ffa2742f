import type { CreateRequest, Secret } from '@contract'
import { computed, onScopeDispose, ref, type Ref, toRaw, watch } from 'vue'
import type { CodeLanguage } from '@/components/code/extensions'
import type { TextProblem } from '@/components/code/text-problems'
import { useAppStore } from '@/stores/app'
import { useDraftsStore } from '@/stores/drafts'
import type { DraftEntry, UnreadText } from '@/stores/draft-entry'
import { isForAnotherAccount } from '@/stores/secret-marks'
import { requestOf } from '../../../domain/draft/draft'
import { masked } from '../../../domain/draft/mask-secrets'
import { writeYamlLike } from '../../../domain/text/yaml-comments'
import { languages } from './languages'
import { draftWith, readRequest } from './read-request'
import { reuse } from './reuse'

/** How long typing must pause before the form follows the text, in milliseconds: keystrokes stay quick. */
const pauseMs = 100

/** The language that was chosen last; it stays while one looks at other drafts and screens. */
const language = ref<CodeLanguage>('json')

/** The request of a draft as a text that can be edited. */
export interface RequestText {
  language: Readonly<Ref<CodeLanguage>>
  text: Readonly<Ref<string>>
  /** Why the text is not in the form. */
  problems: Readonly<Ref<readonly TextProblem[]>>
  /** A text that was not in the form, such as one that could not be read, and gave way to the form's request. */
  left: Readonly<Ref<UnreadText | null>>
  /** Whether the environment led elsewhere when that was typed. */
  leftIsFromBefore: Readonly<Ref<boolean>>
  /** Takes what was typed; the form follows after a short pause, or at `settle`. */
  type: (text: string) => void
  /** Has the form follow at once, and masks secret values that were typed. */
  settle: () => void
  choose: (language: CodeLanguage) => void
  /** Shows the form's request in the place of a text that cannot be read; that gives way. */
  giveWay: () => void
  /** Brings back the text that gave way. */
  bringBack: () => void
}

/**
 * Keeps the text and the draft of `entry` the same. A text that can be read changes the draft, and is then left as it
 * was typed; one that cannot leaves the draft as it is, and stays with its entry (`unread`). A change of the draft, which `request` tells, writes the
 * text anew, with the comments of YAML.
 */
export function useRequestText(entry: () => DraftEntry, request: () => CreateRequest): RequestText {
  const store = useDraftsStore()
  const app = useAppStore()
  const text = ref('')
  const problems = ref<readonly TextProblem[]>([])
  /** The request that the text stands for. */
  let shown = ''
  /** The last YAML that could be read, for its comments. */
  let yaml = ''
  /** Whether the text was typed after the form followed it last. */
  let pending = false
  /** Whether the text has a secret value in the clear. */
  let clear = false
  let timer: ReturnType<typeof setTimeout> | undefined
  /** How the environment led to its service when the text was typed. */
  let way: string | null = null
  /** Values that masks had, by the names of their secrets: such as were entered for the environment as it is now. */
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
    clear = false
    shown = keyOf(now)
  }

  function follow(): void {
    clearTimeout(timer)
    if (!pending) return
    pending = false
    const before = draftNow()
    const { secrets } = before.entered
    const reading = readRequest(text.value, language.value, { secrets, remembered })
    problems.value = reading.ok ? [] : reading.problems
    entry().unread = reading.ok ? null : unreadNow()
    clear = reading.ok && reading.clear
    if (!reading.ok) return
    if (language.value === 'yaml') yaml = text.value
    remember(secrets)
    entry().left = null
    const after = draftWith(before, reading.request)
    const now = requestOf(after)
    shown = keyOf(now)
    if (shown === keyOf(requestOf(before))) return
    store.replace(entry(), { ...after, entered: reuse(before.entered, after.entered) })
  }

  /**
   * Notes the values of secrets that may be cut out and put back. One that is put back has no mark, so that it counts as
   * entered for the environment as it is now: one that was entered for it before an edit is to be entered again.
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

  /** Shows what was left here unread; only on request where its secrets would go elsewhere by now. */
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
  // At once: what is typed from now on is for the environment as it is now. While that can't be read, nothing is known.
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
      if (clear) write(requestOf(draftNow()))
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
