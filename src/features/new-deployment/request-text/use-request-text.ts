import { type CreateRequest, createRequestSchema, type Secret, urlCredentialTexts } from '@contract'
import type { CodeLanguage, TextProblem } from '@/ui/widgets/editor'
import {
  type Draft,
  draftOf,
  type EnteredRequest,
  isSent,
  isUsual,
  mask,
  masked,
  requestOf,
  unmaskedUrls,
  valueOf,
  withoutBlanks,
} from '../draft/draft'
import { fieldNames, fields } from '../draft/fields'
import { type Issue, pathsOf } from '../draft/validate'
import { type JsonText, readJson, wantedAt, writeJson } from '../draft/json'
import {
  copyJson,
  isJsonObject,
  type JsonObject,
  type Path,
  setValueAt,
  valueAt,
} from '@/ui/format/json-path'
import { readYaml, writeYaml, writeYamlLike } from '../draft/yaml'
import { computed, onScopeDispose, ref, shallowRef, toRaw, watch } from 'vue'
import { useAppStore } from '@/app/stores/app'
import { useDraftsStore } from '../drafts'
import { type DraftEntry, type UnreadText, isForAnotherAccount } from '../draft-entry'

/** A language that a request can be written in. */
export interface TextLanguage {
  label: string
  read: (text: string) => JsonText
  write: (value: unknown) => string
}

export const languages: Record<CodeLanguage, TextLanguage> = {
  json: { label: 'JSON', read: (text) => readJson(text, wantedAt), write: writeJson },
  yaml: { label: 'YAML', read: (text) => readYaml(text, wantedAt), write: writeYaml },
}

/** The secrets of a text with their values, and the positions of masks without one. */
export interface Unmasked {
  secrets: unknown[]
  unknown: number[]
  /** Whether the text shows a value. */
  clear: boolean
}

/**
 * Replaces masks in a text with their values. A mask stands for the value of the secret with its name, wherever that
 * is now; otherwise of the secret at its position, which was renamed; otherwise for the last known value of its name,
 * in case the secret was cut and pasted back.
 */
export function unmask(
  shown: readonly unknown[],
  before: readonly Secret[],
  remembered: ReadonlyMap<string, string>,
): Unmasked {
  const left = before.map((secret, index) => ({ ...secret, index })).filter(({ value }) => value !== '')
  /** The value of the first secret that fits and isn't taken. In a text that nobody rearranged, it is the first of all. */
  const take = (fits: (secret: Secret & { index: number }) => boolean): string | undefined => {
    const at = left.findIndex(fits)
    return at < 0 ? undefined : left.splice(at, 1)[0]?.value
  }
  const values = new Map<number, string>()
  const rounds: ((name: unknown, index: number) => string | undefined)[] = [
    (name, index) => take((one) => one.index === index && one.name === name),
    (name) => take((one) => one.name === name),
    (_name, index) => take((one) => one.index === index),
    (name) => remembered.get(String(name)),
  ]
  const isMasked = (secret: unknown): secret is Secret => isJsonObject(secret) && secret.value === mask
  for (const round of rounds) {
    shown.forEach((secret, index) => {
      if (!isMasked(secret) || values.has(index)) return
      const value = round(secret.name, index)
      if (value !== undefined) values.set(index, value)
    })
  }
  return {
    secrets: shown.map((secret, index) =>
      isJsonObject(secret)
        ? { name: '', value: '', ...secret, ...(values.has(index) ? { value: values.get(index)! } : {}) }
        : secret,
    ),
    unknown: shown.flatMap((secret, index) => (isMasked(secret) && !values.has(index) ? [index] : [])),
    clear: shown.some((secret) => isJsonObject(secret) && secret.value !== mask && Boolean(secret.value)),
  }
}

/** The values behind the masks in a text: what the form has, and earlier values of secrets by name. */
interface KnownSecrets {
  before: EnteredRequest
  remembered: ReadonlyMap<string, string>
}

/** A request parsed from text, and whether the text shows the value of a secret (`clear`); or the text's problems. */
export type RequestReading =
  | { ok: true; request: EnteredRequest; clear: boolean }
  | { ok: false; problems: TextProblem[] }

/**
 * Parses a request that may be unfinished, as the form may be: members may be missing or empty, but not unknown or of
 * the wrong type. Other errors of a value are shown at its field.
 */
export function readRequest(text: string, language: CodeLanguage, known: KnownSecrets): RequestReading {
  const read = languages[language].read(text)
  if (!read.ok) return { ok: false, problems: [{ ...read.position, message: `${read.message}.` }] }
  const problem = (path: Path, message: string): TextProblem => ({ ...read.positionOf(path), message })
  if (!isJsonObject(read.value)) {
    return { ok: false, problems: [problem([], 'A request is an object with the fields name, source, …')] }
  }
  const urls = unmaskedUrls(read.value, known.before)
  const { name = '', source, source_config = {}, source_revision_config = {}, secrets = [] } = urls.request
  const unmasked = Array.isArray(secrets)
    ? unmask(secrets, known.before.secrets, known.remembered)
    : { secrets, unknown: [], clear: false }
  const request: JsonObject = {
    ...urls.request,
    name,
    source,
    source_config,
    source_revision_config,
    secrets: unmasked.secrets,
  }
  const problems = [
    ...shapeProblems(request).map(({ path, message }) => problem(path, message)),
    ...[...urls.unknown, ...unmasked.unknown.map((index) => ['secrets', index, 'value'])].map((path) =>
      problem(path, 'This mask has no stored value. Enter the value.'),
    ),
  ].sort((one, other) => one.line - other.line || one.column - other.column)
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, request: request as unknown as EnteredRequest, clear: unmasked.clear }
}

/**
 * The draft after its request was replaced by text. Fields that the form keeps without sending stay, unless the text's
 * source sends them.
 */
export function draftWith(before: Draft, request: EnteredRequest): Draft {
  const after = draftOf(request as unknown as Parameters<typeof draftOf>[0])
  const { source } = after.entered
  for (const name of fieldNames) {
    const previous = isSent(before, name) ? undefined : valueOf(before.entered, name)
    if (previous !== undefined && !isSent(after, name)) {
      setValueAt(after.entered, fields[name].path, copyJson(previous))
    }
  }
  const stillWanted = before.alsoSent.filter(
    (name) => !isUsual(name, source) && !after.alsoSent.includes(name),
  )
  return { ...after, alsoSent: [...after.alsoSent, ...stillWanted] }
}

/** Problems that the form can't represent: unknown members and values of the wrong type. */
function shapeProblems(request: JsonObject): { path: Path; message: string }[] {
  const result = createRequestSchema.safeParse(request)
  if (result.success) return []
  return result.error.issues
    .filter((issue) => !isForTheForm(issue, request))
    .flatMap((issue) => pathsOf(issue).map((path) => ({ path, message: messageFor(issue, path) })))
}

/** Whether the form shows the problem itself: a missing member or an invalid value. */
function isForTheForm(issue: Issue, request: JsonObject): boolean {
  if (['too_small', 'too_big', 'invalid_format', 'custom', 'not_multiple_of'].includes(issue.code))
    return true
  if (issue.code === 'unrecognized_keys') return false
  const [path] = pathsOf(issue)
  return path !== undefined && path[0] !== 'source' && path.length > 1 && valueAt(request, path) === undefined
}

const typeLabels: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

function messageFor(issue: Issue, path: Path): string {
  if (issue.code === 'unrecognized_keys') return `Unknown field "${path.at(-1)}".`
  if (issue.code === 'invalid_value') return `Expected one of ${issue.values.map(String).join(', ')}.`
  if (issue.code === 'invalid_type') return `Expected ${typeLabels[issue.expected] ?? issue.expected}.`
  return issue.message
}

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
  /** The environment's account key when the text was typed; null if it couldn't be read. */
  accountKey: string | null
}

/** The text that shows a request, in place of another one. */
function written({ yaml, accountKey }: TextState, request: CreateRequest): TextState {
  const shown = masked(request)
  const isYaml = language.value === 'yaml'
  const text = isYaml ? writeYamlLike(yaml, shown) : languages.json.write(shown)
  return { text, is: 'shown', problems: [], hasUnsent: false, yaml: isYaml ? text : yaml, accountKey }
}

/** A typed text once the form was asked to take it in, and the request that it is then; null if it can't be. */
function taken(state: TextState, known: KnownSecrets): [TextState, EnteredRequest | null] {
  const { text } = state
  const reading = readRequest(text, language.value, known)
  if (!reading.ok) return [{ ...state, is: 'unread', problems: reading.problems, hasUnsent: false }, null]
  const request = withoutBlanks(reading.request)
  const hasUnsent =
    reading.clear ||
    JSON.stringify(request) !== JSON.stringify(reading.request) ||
    (text.includes('://') &&
      urlCredentialTexts({ ...request, secrets: [] }).some((one) => text.includes(one)))
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
    accountKey: null,
  })
  /** The request that the text shows. */
  let shown = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Values behind masks by secret name; only those entered for the environment as it is now. */
  const remembered = new Map<string, string>()

  const draftNow = () => toRaw(entry.draft)
  const accountNow = () => app.readableAccountKeyOf(entry.environmentId)
  const textNow = (): UnreadText => ({
    language: language.value,
    text: state.value.text,
    accountKey: state.value.accountKey,
  })

  function write(now: CreateRequest): void {
    state.value = written(state.value, now)
    shown = JSON.stringify(now)
  }

  /** Has the form take in what was typed. */
  function follow(): void {
    clearTimeout(timer)
    if (state.value.is !== 'typed') return
    const before = draftNow()
    const { entered } = before
    const [next, typed] = taken(state.value, { before: entered, remembered })
    state.value = next
    entry.unread = typed ? null : textNow()
    if (!typed) return
    entry.left = null
    remember(entered.secrets)
    const after = draftWith(before, typed)
    shown = JSON.stringify(requestOf(after))
    if (shown !== JSON.stringify(requestOf(before)))
      store.replace(entry, { ...after, entered: reuse(entered, after.entered) })
  }

  /**
   * Remembers the values of secrets that may be cut and pasted back. A pasted one has no mark, so it counts as entered
   * for the environment as it is now. Values from before an edit are therefore dropped and must be entered again.
   */
  function remember(secrets: readonly Secret[]): void {
    for (const secret of secrets) {
      if (isForAnotherAccount(secret, accountNow())) remembered.delete(secret.name)
      else if (secret.value !== '') remembered.set(secret.name, secret.value)
    }
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
    state.value = { ...state.value, text, is: 'typed', accountKey: accountNow() }
    clearTimeout(timer)
    timer = setTimeout(follow, pauseMs)
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
  // At once, since text typed from now on is for the environment as it is now. An unreadable environment has no account
  // key (null).
  watch(
    accountNow,
    (now) => {
      remembered.clear()
      if (now !== null && now !== state.value.accountKey && state.value.is !== 'shown') giveWay()
    },
    { flush: 'sync' },
  )
  onScopeDispose(follow)
  write(request())
  // The text of an earlier visit; only on request if its secrets would now go elsewhere.
  if (entry.unread?.accountKey === accountNow()) show(entry.unread)
  else if (entry.unread) {
    entry.left = entry.unread
    entry.unread = null
  }

  return {
    language,
    text: computed(() => state.value.text),
    problems: computed(() => state.value.problems),
    left: computed(() => entry.left),
    /** Whether the environment led to another service when that text was typed. */
    leftIsFromBefore: computed(() => entry.left !== null && entry.left.accountKey !== accountNow()),
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
