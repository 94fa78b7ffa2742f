import type { CreateRequest } from '@contract'
import { onScopeDispose, ref, type Ref, toRaw, watch } from 'vue'
import type { CodeLanguage } from '@/components/code/extensions'
import type { TextProblem } from '@/components/code/places'
import { type DraftEntry, useNewDeploymentStore } from '@/stores/new-deployment'
import { requestOf } from '../model/draft'
import { masked } from '../model/preview'
import { writeYamlLike } from '../model/yaml-comments'
import { languages } from './languages'
import { draftWith, readRequest } from './read-request'
import { reuse } from './reuse'

/** How long typing must pause before the form follows the text, in milliseconds: keystrokes stay quick. */
const pauseMs = 100

/** The language that was chosen last; it stays while one looks at other drafts and screens. */
const language = ref<CodeLanguage>('json')

/** A text that could not be taken into the form, and gave way to the form's request. */
interface LeftText {
  language: CodeLanguage
  text: string
}

/** The request of a draft as a text that can be edited. */
export interface RequestText {
  language: Readonly<Ref<CodeLanguage>>
  text: Readonly<Ref<string>>
  /** Why the text is not in the form. */
  problems: Readonly<Ref<readonly TextProblem[]>>
  left: Readonly<Ref<LeftText | null>>
  /** Takes what was typed; the form follows after a short pause, or at `settle`. */
  type: (text: string) => void
  /** Has the form follow at once, and masks secret values that were typed. */
  settle: () => void
  choose: (language: CodeLanguage) => void
  /** Brings back the text that gave way. */
  bringBack: () => void
}

/**
 * Keeps the text and the draft of `entry` the same. A text that can be read changes the draft, and is then left as it
 * was typed; one that cannot leaves the draft as it is. A change of the draft, which `request` tells, writes the
 * text anew, with the comments of YAML.
 */
export function useRequestText(entry: () => DraftEntry, request: () => CreateRequest): RequestText {
  const store = useNewDeploymentStore()
  const text = ref('')
  const problems = ref<readonly TextProblem[]>([])
  const left = ref<LeftText | null>(null)
  /** The request that the text stands for. */
  let shown = ''
  /** The last YAML that could be read, for its comments. */
  let yaml = ''
  /** Whether the text was typed after the form followed it last. */
  let pending = false
  /** Whether the text has a secret value in the clear. */
  let clear = false
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Values that masks had, by the names of their secrets. */
  const remembered = new Map<string, string>()

  const draftNow = () => toRaw(entry().draft)
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
    if (!reading.ok) return
    if (language.value === 'yaml') yaml = text.value
    for (const { name, value } of secrets) if (value !== '') remembered.set(name, value)
    left.value = null
    clear = reading.clear
    const after = draftWith(before, reading.request)
    const now = requestOf(after)
    shown = keyOf(now)
    if (shown === keyOf(requestOf(before))) return
    store.replace(entry(), { ...after, entered: reuse(before.entered, after.entered) })
  }

  function leave(): void {
    if (pending || problems.value.length > 0) left.value = { language: language.value, text: text.value }
  }

  watch(request, (now) => {
    if (keyOf(now) === shown) return
    leave()
    write(now)
  })
  onScopeDispose(follow)
  write(request())

  return {
    language,
    text,
    problems,
    left,
    type: (typed) => {
      text.value = typed
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
    bringBack: () => {
      if (!left.value) return
      language.value = left.value.language
      text.value = left.value.text
      left.value = null
      pending = true
      follow()
    },
  }
}
