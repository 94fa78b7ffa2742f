import {
  type AppState,
  type CallInput,
  type CreateRequest,
  draftLimits,
  fail,
  failure,
  type Outcome,
  type SecretsPlace,
  succeed,
} from '@contract'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { effectScope } from 'vue'
import { call } from '@/api'
import { requestOf } from '@/domain/draft/draft'
import { mergeSecrets } from '@/domain/text/dotenv'
import { useRequestText } from '@/screens/new-deployment/request-text/use-request-text'
import { useAppStore } from '@/stores/application/app'
import { useCreationStore } from '@/stores/creation/creation'
import { useDraftsStore } from '@/stores/creation/drafts'
import { createDrafts, type Drafts } from '../../../../../electron/main/stored/drafts'
import type { SecretsQuestion } from '../../../../../electron/main/stored/drafts/confirm-secrets'
import type { ReadyEnvironment } from '../../../../../electron/main/environments/model/types'
import { secretsPlaceOf } from '../../../../../electron/main/environments/model/stored-secrets'
import { settled, stateOf } from '../../../../support/page/fake-bridge'

vi.mock('@/api', () => ({ call: vi.fn(), on: vi.fn() }))

const secret = 'typed-in-this-session'

/** The base URLs of the environments now. */
let baseUrls: Record<string, string>
/** The environments whose profiles can't be read now. */
let unreadable: Set<string>
let questions: SecretsQuestion[]
let agrees: boolean
let drafts: Drafts
/** The values of secrets that were sent, and where. */
let sent: string[]

const ready = (id: string): ReadyEnvironment => ({
  id,
  name: id,
  mode: 'cloud',
  protected: false,
  readOnly: false,
  target: { environmentId: id, baseUrl: baseUrls[id]!, headers: {} },
})
const placeOf = (id: string): SecretsPlace | null => (unreadable.has(id) ? null : secretsPlaceOf(ready(id)))

let windowState: AppState

/** Answers calls of the page with the main process's own drafts. A creation is refused, so that the draft stays. */
async function answer(name: string, input: unknown): Promise<Outcome<unknown>> {
  if (name === 'app.state') return succeed(windowState)
  if (name === 'drafts.list')
    return succeed(await drafts.list((input as { environmentId: string }).environmentId))
  if (name === 'drafts.save') {
    const { environmentId, draft, current } = input as CallInput<'drafts.save'>
    return succeed(drafts.save(environmentId, JSON.parse(JSON.stringify(draft)) as never, current))
  }
  if (name === 'drafts.remove') {
    const { environmentId, id } = input as CallInput<'drafts.remove'>
    return succeed(drafts.remove(environmentId, id))
  }
  if (name !== 'deployments.create') return succeed({})
  const { environmentId, request } = input as { environmentId: string; request: CreateRequest }
  const filledIn = await drafts.fillIn(request, ready(environmentId))
  if (!filledIn.ok) return filledIn
  sent.push(...filledIn.value.secrets.map(({ value }) => `${value} to ${baseUrls[environmentId]}`))
  return fail(failure('offline', 'No.'))
}

beforeEach(() => {
  setActivePinia(createPinia())
  baseUrls = { one: 'https://one.example', two: 'https://two.example' }
  unreadable = new Set()
  questions = []
  agrees = false
  sent = []
  drafts = createDrafts({
    file: { exists: () => false } as never,
    keys: { keyFor: () => Promise.resolve(fail(failure('keychain-missing', 'None.'))) },
    placeOf,
    confirm: (question) => {
      questions.push(question)
      return Promise.resolve(agrees)
    },
    changed: () => undefined,
    report: () => undefined,
  })
  vi.mocked(call).mockReset()
  vi.mocked(call).mockImplementation(((name: string, input: unknown) => answer(name, input)) as never)
  windowState = stateOf('one', 'two')
  useAppStore().state = windowState
})

/** Saves what was typed, as after a pause. */
async function savePending(): Promise<void> {
  window.dispatchEvent(new Event('beforeunload'))
  await settled()
}

/** A draft whose secret was typed and saved while its environment led to one.example. */
async function typed(name = 'agent') {
  const store = useDraftsStore()
  const form = store.open('one', 'cloud')
  await settled()
  const entry = store.currentDraft(form)
  store.set(entry, ['name'], name)
  store.set(entry, ['secrets', 0], { name: '', value: '' })
  store.set(entry, ['secrets', 0, 'name'], 'KEY')
  store.set(entry, ['secrets', 0, 'value'], secret)
  await savePending()
  const send = () => useCreationStore().create(form, entry, requestOf(entry.draft), null)
  return { store, form, entry, send }
}

it('a typed value is sent to its destination without a question, however often the draft was saved', async () => {
  const { store, entry, send } = await typed()
  store.set(entry, ['name'], 'agent-2')
  await savePending()
  await send()
  expect(sent).toEqual([`${secret} to https://one.example`])
  expect(questions).toEqual([])
  expect(entry.draft.entered.secrets).toEqual([{ name: 'KEY', value: secret }])
})

it('a typed value is asked about once its environment leads elsewhere, even after other changes', async () => {
  const { store, entry, send } = await typed()
  baseUrls.one = 'https://elsewhere.example'
  store.set(entry, ['name'], 'agent-2')
  store.set(entry, ['secrets', 0, 'name'], 'RENAMED')
  store.replace(entry, { ...entry.draft, entered: structuredClone(requestOf(entry.draft)) })
  await savePending()
  await send()
  expect(sent).toEqual([])
  expect(questions).toMatchObject([
    { secrets: [{ name: 'KEY', from: { route: { baseUrl: 'https://one.example' } } }] },
  ])
  expect(entry.issues).toMatchObject([{ path: ['secrets', 0, 'value'] }])
})

it('a typed value of a draft that is too large to be stored is asked about as well', async () => {
  const tooLarge = 'x'.repeat(draftLimits.bytes)
  const { store, entry, send } = await typed(tooLarge)
  expect(store.persistence).toMatchObject({ storage: 'session' })
  expect(store.persistence?.message).toContain('too large')
  await send()
  expect(sent).toEqual([`${secret} to https://one.example`])
  expect(questions).toEqual([])
  baseUrls.one = 'https://elsewhere.example'
  for (const name of [`${tooLarge}2`, 'shortened', tooLarge]) {
    store.set(entry, ['name'], name)
    await savePending()
    await send()
  }
  expect(sent).toHaveLength(1)
  expect(questions).toMatchObject([
    { secrets: [{ name: 'KEY', from: { route: { baseUrl: 'https://one.example' } } }] },
  ])
  expect(entry.issues).toMatchObject([{ path: ['secrets', 0, 'value'] }])
})

it('a value that was typed while its environment could not be read is asked about', async () => {
  unreadable.add('one')
  const { store, entry, send } = await typed()
  unreadable.clear()
  store.set(entry, ['name'], 'agent-2')
  await savePending()
  await send()
  expect(sent).toEqual([])
  expect(questions).toMatchObject([{ secrets: [{ name: 'KEY', from: null }] }])
})

it('one question covers the values of all drafts of an environment that was changed', async () => {
  agrees = true
  const { store, form, send } = await typed()
  store.beginEmpty()
  const other = store.currentDraft(form)
  store.set(other, ['name'], 'other')
  store.set(other, ['secrets', 0], { name: 'OTHER', value: `${secret}-2` })
  await savePending()
  baseUrls.one = 'https://renewed.example'
  await send()
  await useCreationStore().create(form, other, requestOf(other.draft), null)
  expect(questions).toMatchObject([{ secrets: [{ name: 'KEY' }], others: ['OTHER'] }])
  expect(sent).toEqual([secret, `${secret}-2`].map((value) => `${value} to https://renewed.example`))
})

it.each<[string, (made: Awaited<ReturnType<typeof typed>>) => void]>([
  ['typed', ({ store, entry }) => store.set(entry, ['secrets', 0, 'value'], secret)],
  [
    'pasted',
    ({ store, entry }) =>
      store.set(
        entry,
        ['secrets'],
        mergeSecrets(entry.draft.entered.secrets, [{ name: 'KEY', value: secret }]),
      ),
  ],
])('a value that is %s again is entered for the environment as it is now', async (_how, enterAgain) => {
  const made = await typed()
  baseUrls.one = 'https://elsewhere.example'
  enterAgain(made)
  await savePending()
  await made.send()
  expect(sent).toEqual([`${secret} to https://elsewhere.example`])
  expect(questions).toEqual([])
})

it('pasting other values enters only those', async () => {
  const { store, entry, send } = await typed()
  baseUrls.one = 'https://elsewhere.example'
  const { secrets } = entry.draft.entered
  store.set(entry, ['secrets'], mergeSecrets(secrets, [{ name: 'OTHER', value: 'new' }]))
  await send()
  expect(sent).toEqual([])
  expect(questions).toMatchObject([{ secrets: [{ name: 'KEY' }] }])
})

it('a value that is removed and entered again is kept', async () => {
  const { store, entry, send } = await typed()
  store.set(entry, ['secrets', 0], undefined)
  await savePending()
  store.set(entry, ['secrets', 0], { name: 'KEY', value: secret })
  await savePending()
  await send()
  expect(sent).toEqual([`${secret} to https://one.example`])
})

it.each([true, false])(
  'a typed value of a draft that is transferred elsewhere (moved: %s) is asked about',
  async (move) => {
    agrees = true
    const { store, form, entry } = await typed()
    const [from, to] = useAppStore().environments
    await store.copyTo(form, entry, from!, to!, move)
    const target = store.open('two', 'cloud')
    await settled()
    const copy = store.currentDraft(target)
    await useCreationStore().create(target, copy, requestOf(copy.draft), null)
    expect(questions).toMatchObject([{ to: { environmentName: 'two' }, secrets: [{ name: 'KEY' }] }])
    expect(sent).toEqual([`${secret} to https://two.example`])
  },
)

it.each(['typed', 'pasted'])(
  'another secret with the same %s value enters a value only for that one',
  async (how) => {
    const { store, entry, send } = await typed()
    baseUrls.one = 'https://elsewhere.example'
    if (how === 'typed') {
      store.set(entry, ['secrets', 1], { name: 'URL', value: '' })
      // All but the last two keystrokes pass through the first secret's value.
      for (const value of [secret, `${secret}@`, `${secret}@host`]) {
        store.set(entry, ['secrets', 1, 'value'], value)
      }
    } else {
      const { secrets } = entry.draft.entered
      store.set(entry, ['secrets'], mergeSecrets(secrets, [{ name: 'URL', value: secret }]))
    }
    await savePending()
    await send()
    expect(sent).toEqual([])
    expect(questions).toMatchObject([{ secrets: [{ name: 'KEY' }] }])
    expect(questions[0]!.secrets).toHaveLength(1)
  },
)

it('secrets with the same value are distinguished, even after they were edited as text and transferred', async () => {
  agrees = true
  const { store, form, entry } = await typed()
  store.set(entry, ['secrets', 1], { name: 'OTHER', value: secret })
  await savePending()
  const entered = structuredClone(requestOf(entry.draft))
  entered.secrets = [entered.secrets[1]!, { name: 'RENAMED', value: secret }]
  store.replace(entry, { ...entry.draft, entered })
  const [from, to] = useAppStore().environments
  await store.copyTo(form, entry, from!, to!, false)
  const target = store.open('two', 'cloud')
  const copy = store.currentDraft(target)
  await useCreationStore().create(target, copy, requestOf(copy.draft), null)
  expect(questions).toMatchObject([{ secrets: [{ name: 'OTHER' }, { name: 'KEY' }] }])
})

describe('a secret that is cut out of the request text', () => {
  /** The text beside the form of a draft with a typed secret, and the same without the secret. */
  async function cut() {
    const made = await typed()
    const { entry } = made
    const text = effectScope().run(() =>
      useRequestText(
        () => entry,
        () => requestOf(entry.draft),
      ),
    )!
    const whole = text.text.value
    const write = async (typedNow: string): Promise<void> => {
      text.type(typedNow)
      text.settle()
      await savePending()
    }
    const without = JSON.stringify({ ...(JSON.parse(whole) as object), secrets: [] })
    return { ...made, text, cutOut: () => write(without), putBack: () => write(whole) }
  }

  /** Trusts another certificate, as the notice of a failure on the same screen does. */
  async function trustAnother(): Promise<void> {
    const app = useAppStore()
    await app.start()
    const environments = app.environments.map((one) => ({
      ...one,
      service: `${one.id}, renewed certificate`,
      profile: one.profile && {
        ...one.profile,
        trust: { kind: 'exact' as const, certificate: { fingerprint: 'renewed' } as never },
      },
    }))
    windowState = { ...windowState, environments }
    await app.start()
    baseUrls.one = 'https://renewed.example'
  }

  it('has its value again if it is pasted back, without a question', async () => {
    const { entry, text, cutOut, putBack, send } = await cut()
    await cutOut()
    expect(entry.draft.entered.secrets).toEqual([])
    await putBack()
    expect(text.problems.value).toEqual([])
    await send()
    expect(sent).toEqual([`${secret} to https://one.example`])
    expect(questions).toEqual([])
  })

  it('must be entered again if its environment was edited meanwhile', async () => {
    const { entry, text, cutOut, putBack } = await cut()
    await cutOut()
    await trustAnother()
    await putBack()
    expect(text.problems.value).toMatchObject([
      { message: 'This mask has no stored value. Enter the value.' },
    ])
    expect(entry.draft.entered.secrets).toEqual([])
  })

  it('must be entered again if its environment was edited before', async () => {
    const { store, entry, text, cutOut, putBack } = await cut()
    await trustAnother()
    store.set(entry, ['name'], 'agent-2')
    await savePending()
    await cutOut()
    await putBack()
    expect(text.problems.value).toHaveLength(1)
    expect(entry.draft.entered.secrets).toEqual([])
  })
})

it('a value whose draft the main process does not have yet is not transferred', async () => {
  const { store, form, entry } = await typed()
  let takes = false
  vi.mocked(call).mockImplementation((async (name: string, input: unknown) =>
    name === 'drafts.save' && !takes && (input as { environmentId: string }).environmentId === 'one'
      ? fail(failure('not-allowed', 'Too many operations are running.'))
      : await answer(name, input)) as never)
  store.set(entry, ['secrets', 1], { name: 'NEW', value: 'typed-since' })
  await savePending()
  const [from, to] = useAppStore().environments
  expect(await store.copyTo(form, entry, from!, to!, true)).toBe(false)
  const copy = store.currentDraft(store.open('two', 'cloud'))
  expect(copy.draft.entered.secrets).toEqual([
    { name: 'KEY', value: secret },
    { name: 'NEW', value: '' },
  ])
  expect(copy.notes?.items.join('\n')).toContain('Secret values: copied (KEY).')
  expect(copy.notes?.items.join('\n')).toContain('Secret values: not copied (NEW)')
  expect(form.drafts).toContain(entry)
  takes = true
  expect(await store.copyTo(form, entry, from!, to!, true)).toBe(true)
  const whole = store.currentDraft(store.open('two', 'cloud'))
  agrees = true
  await useCreationStore().create(store.open('two', 'cloud'), whole, requestOf(whole.draft), null)
  expect(questions).toMatchObject([{ secrets: [{ name: 'KEY' }, { name: 'NEW' }] }])
})

it('a draft that the other environment has no room for is copied, and not removed', async () => {
  agrees = true
  const { store, form, entry } = await typed()
  for (let index = 0; index < draftLimits.drafts; index += 1) {
    const content = { entered: { name: `agent-${index}`, secrets: [] } }
    drafts.save('two', { id: crypto.randomUUID(), content, notes: null, sentAt: null }, false)
  }
  const [from, to] = useAppStore().environments
  expect(await store.copyTo(form, entry, from!, to!, true)).toBe(false)
  await savePending()
  const target = store.open('two', 'cloud')
  const copy = store.currentDraft(target)
  expect(copy.notes?.items[0]).toContain('This draft is still in one as well')
  expect(store.persistence).toMatchObject({ storage: 'session' })
  expect(store.persistence?.message).toContain('has 200 drafts already')
  expect(form.drafts).toContain(entry)
  expect((await drafts.list('one')).drafts.map(({ id }) => id)).toEqual([entry.id])
  await useCreationStore().create(target, copy, requestOf(copy.draft), null)
  expect(sent).toEqual([`${secret} to https://two.example`])
})

it('a draft whose environment was removed while it was being created stays removed', async () => {
  const { store, form, entry, send } = await typed()
  let refuse = (): void => undefined
  vi.mocked(call).mockImplementation((async (name: string, input: unknown) => {
    if (name !== 'deployments.create') return await answer(name, input)
    await new Promise<void>((resolve) => (refuse = resolve))
    return fail(failure('offline', 'No.', { sent: 'no' }))
  }) as never)
  const creating = send()
  await settled()
  drafts.forget('one')
  const app = useAppStore()
  app.state = { ...app.state!, environments: stateOf('two').environments, currentEnvironmentId: 'two' }
  await settled()
  expect(form.drafts).toEqual([])
  refuse()
  await creating
  // Text is applied when its editor is closed.
  store.replace(entry, { ...entry.draft })
  await savePending()
  expect((await drafts.list('one')).drafts).toEqual([])
})
