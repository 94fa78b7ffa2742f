import {
  type AppState,
  type CallInput,
  type CreateRequest,
  fail,
  failure,
  type Outcome,
  succeed,
} from '@contract'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { effectScope } from 'vue'
import { call } from '@/app/api'
import { requestOf } from '@/features/new-deployment/draft/draft'
import { mergeSecrets } from '@/features/new-deployment/draft/dotenv'
import { useRequestText } from '@/features/new-deployment/request-text/use-request-text'
import { useAppStore } from '@/app/stores/app'
import { useCreationStore } from '@/features/new-deployment/creation'
import { useDraftsStore } from '@/features/new-deployment/drafts'
import { createDrafts, type Drafts } from '../../../../electron/main/stored/drafts'
import { withoutState } from '../../../support/main/state'
import { secretsPlaceOf, type ReadyEnvironment } from '../../../../electron/main/environments/known'
import { settled, stateOf } from '../../../support/page/fake-bridge'

vi.mock('@/app/api', () => ({ call: vi.fn(), on: vi.fn() }))

const secret = 'typed-in-this-session'

/** The base URLs of the environments now. */
let baseUrls: Record<string, string>
/** The environments whose profiles can't be read now. */
let unreadable: Set<string>
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
const placeOf = (id: string): string | null => (unreadable.has(id) ? null : secretsPlaceOf(ready(id)))

let windowState: AppState

/** Answers calls of the page with the main process's own drafts. A creation is refused, so that the draft stays. */
async function answer(name: string, input: unknown): Promise<Outcome<unknown>> {
  if (name === 'app.state') return succeed(windowState)
  if (name === 'drafts.list')
    return succeed(await drafts.list((input as { environmentId: string }).environmentId))
  if (name === 'drafts.save') {
    const { environmentId, draft, current } = input as CallInput<'drafts.save'>
    return drafts.save(environmentId, JSON.parse(JSON.stringify(draft)) as never, current)
  }
  if (name === 'drafts.remove') {
    const { environmentId, id } = input as CallInput<'drafts.remove'>
    return succeed(drafts.remove(environmentId, id))
  }
  if (name !== 'deployments.create') return succeed({})
  const { environmentId, request } = input as { environmentId: string; request: CreateRequest }
  const filledIn = drafts.fillIn(request, ready(environmentId))
  if (!filledIn.ok) return filledIn
  sent.push(...filledIn.value.secrets.map(({ value }) => `${value} to ${baseUrls[environmentId]}`))
  return fail(failure('offline', 'No.'))
}

beforeEach(() => {
  setActivePinia(createPinia())
  baseUrls = { one: 'https://one.example', two: 'https://two.example' }
  unreadable = new Set()
  sent = []
  drafts = createDrafts({
    state: withoutState,
    placeOf,
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
  await useAppStore().start()
  const store = useDraftsStore()
  const form = store.open('one')
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

/** Trusts another certificate, as the notice of a failure on the same screen does. */
async function trustAnother(): Promise<void> {
  baseUrls.one = 'https://renewed.example'
  const environments = windowState.environments.map((one) => ({
    ...one,
    service: `${one.id}, renewed certificate`,
    profile: one.profile && {
      ...one.profile,
      trust: { kind: 'exact' as const, certificate: { fingerprint: 'renewed' } as never },
    },
  }))
  windowState = { ...windowState, environments }
  await useAppStore().start()
  await settled()
}

it('a typed value is sent to its destination, however often the draft was saved', async () => {
  const { store, entry, send } = await typed()
  store.set(entry, ['name'], 'agent-2')
  await savePending()
  await send()
  expect(sent).toEqual([`${secret} to https://one.example`])
  expect(entry.draft.entered.secrets).toEqual([{ name: 'KEY', value: secret }])
})

it('a typed value must be entered again once its environment leads elsewhere, even after other changes', async () => {
  const { store, entry, send } = await typed()
  await trustAnother()
  expect(JSON.stringify(entry.draft)).not.toContain(secret)
  await savePending()
  store.set(entry, ['name'], 'agent-2')
  store.set(entry, ['secrets', 0, 'name'], 'RENAMED')
  store.replace(entry, { ...entry.draft, entered: structuredClone(requestOf(entry.draft)) })
  await savePending()
  await send()
  expect(sent).toEqual([])
  expect(entry.failure?.issues).toMatchObject([
    { path: ['secrets', 0, 'value'], message: expect.stringContaining('has changed') as string },
  ])
})

it('pasting other values enters only those', async () => {
  const { store, entry, send } = await typed()
  await trustAnother()
  const { secrets } = entry.draft.entered
  store.set(entry, ['secrets'], mergeSecrets(secrets, [{ name: 'OTHER', value: 'new' }]))
  await send()
  expect(sent).toEqual([])
  expect(entry.failure?.issues).toMatchObject([{ path: ['secrets', 0, 'value'] }])
})

it('a value that was typed last is forgotten with those before', async () => {
  const { store, entry, send } = await typed()
  store.set(entry, ['secrets', 0, 'value'], 'typed last')
  store.set(entry, ['secrets', 1], { name: 'NEW', value: 'typed last, too' })
  await trustAnother()
  expect(JSON.stringify(entry.draft)).not.toContain('typed last')
  await send()
  expect(sent).toEqual([])
})

describe('a secret that is cut out of the request text', () => {
  /** The text beside the form of a draft with a typed secret, and the same without the secret. */
  async function cut() {
    const made = await typed()
    const { entry } = made
    const text = effectScope().run(() => useRequestText(entry, () => requestOf(entry.draft)))!
    const whole = text.text.value
    const write = async (typedNow: string): Promise<void> => {
      text.type(typedNow)
      text.settle()
      await savePending()
    }
    const without = JSON.stringify({ ...(JSON.parse(whole) as object), secrets: [] })
    return { ...made, text, cutOut: () => write(without), putBack: () => write(whole) }
  }

  it('has its value again if it is pasted back', async () => {
    const { entry, cutOut, putBack, send } = await cut()
    await cutOut()
    expect(entry.draft.entered.secrets).toEqual([])
    await putBack()
    expect(entry.unread).toBeNull()
    await send()
    expect(sent).toEqual([`${secret} to https://one.example`])
  })

  it('must be entered again if its environment was edited meanwhile', async () => {
    const { entry, cutOut, putBack } = await cut()
    await cutOut()
    await trustAnother()
    await putBack()
    expect(entry.unread?.problems).toMatchObject([
      { message: 'This mask has no stored value. Enter the value.' },
    ])
    expect(entry.draft.entered.secrets).toEqual([])
  })
})
