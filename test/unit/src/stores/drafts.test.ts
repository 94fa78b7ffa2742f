import {
  type AppState,
  type CallName,
  type CreateRequest,
  type Deployment,
  deploymentSchema,
  type EnvironmentDrafts,
  fail,
  type Failure,
  failure,
  isKeptValue,
  type KeptDraft,
  keptValue,
  succeed,
} from '@contract'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import { call, on } from '@/api'
import { requestOf } from '@/domain/draft/draft'
import { useAppStore } from '@/stores/app'
import { tellingAgain } from '@/stores/draft-autosave'
import { following, useDraftsStore } from '@/stores/drafts'
import { settled } from '../../../support/fake-bridge'

vi.mock('@/api', () => ({ call: vi.fn(), on: vi.fn() }))

const environment = (id: string) => ({
  id,
  name: id,
  kept: 'keychain' as const,
  profile: {
    baseUrl: 'https://deploy.example.com',
    mode: 'cloud' as const,
    colour: 'blue' as const,
    protected: false,
    headerNames: [],
    integrations: [],
    trust: { kind: 'system' as const },
    proxy: { mode: 'system' as const },
  },
  service: id,
  problem: null,
})

/** The window's state with these environments, the first being the current one. */
const stateOf = (...ids: string[]): AppState => ({
  version: '0',
  trialEngine: false,
  environments: ids.map(environment),
  currentEnvironmentId: ids[0]!,
  keychain: { state: 'available', message: null },
  connection: { environmentId: ids[0]!, state: 'unknown', at: null, reason: null },
})

const ready: Deployment = deploymentSchema.parse({ id: 'd-1', name: 'agent', status: 'READY' })

/** A store whose draft in environment "one" has a name and a secret. */
function begun() {
  useAppStore().state = stateOf('one', 'two')
  const store = useDraftsStore()
  const form = store.open('one', 'cloud')
  const entry = store.currentDraft(form)
  store.set(entry, ['name'], 'agent')
  store.set(entry, ['secrets', 0], { name: 'KEY', value: 's3cret' })
  vi.mocked(call).mockClear()
  return { store, form, entry, send: () => store.create(form, entry, requestOf(entry.draft), 'cloud', null) }
}

const detail = (deployment: Deployment) =>
  succeed({ environmentId: 'one', deployment, json: '', fetchedAt: '' })

const disk = { kept: 'disk' as const, message: null, setAside: null }

/** What the main process keeps, by environment. */
let kept: Record<string, Partial<EnvironmentDrafts>>
/** The marks that it gives for the values of a draft's secrets. */
const marksOf = ({ draft }: { draft: KeptDraft }): string[] =>
  draft.content.entered.secrets.map(({ value }) =>
    value === '' || isKeptValue(value) ? value : keptValue('given'),
  )
/** How it answers a creation, and what asks for the deployment. */
let created: () => unknown

/** The inputs of the calls of a name so far. */
const inputs = (name: string): Record<string, unknown>[] =>
  vi
    .mocked(call)
    .mock.calls.filter(([called]) => called === name)
    .map(([, input]) => JSON.parse(JSON.stringify(input)) as Record<string, unknown>)

/** Tells what was typed, as after a pause. */
async function told(): Promise<void> {
  window.dispatchEvent(new Event('beforeunload'))
  await settled()
}

beforeEach(() => {
  setActivePinia(createPinia())
  kept = {}
  created = () => detail(ready)
  vi.mocked(on).mockReset()
  vi.mocked(call).mockReset()
  vi.mocked(call).mockImplementation(((name: string, input: { environmentId: string; draft: KeptDraft }) => {
    if (name === 'deployments.create' || name === 'deployments.get') return Promise.resolve(created())
    if (name === 'drafts.save') return Promise.resolve(succeed({ keeping: disk, marks: marksOf(input) }))
    if (name !== 'drafts.list') return Promise.resolve(succeed(disk))
    const { environmentId } = input
    const empty = { environmentId, drafts: [], currentId: null, templates: [], keeping: disk }
    return Promise.resolve(succeed({ ...empty, ...kept[environmentId] }))
  }) as never)
})

describe('creating', () => {
  it('sends once, however often it is asked to while the answer is out', async () => {
    const { store, form, entry, send } = begun()
    let answer: (value: unknown) => void = () => undefined
    created = () => new Promise((resolve) => (answer = resolve))
    const first = send()
    expect(await send()).toBe(false)
    expect(entry.sending).toBe(true)
    answer(detail(ready))
    expect(await first).toBe(true)
    expect(inputs('deployments.create')).toHaveLength(1)
    const [input] = inputs('deployments.create')
    expect((input as unknown as { request: CreateRequest }).request.secrets).toEqual([
      { name: 'KEY', value: 's3cret' },
    ])
    expect(form.created?.deployment.id).toBe('d-1')
    expect(store.currentDraft(form).draft.entered.name).toBe('')
  })

  it('keeps no secret value after success', async () => {
    const { store, entry, send } = begun()
    await send()
    expect(JSON.stringify([...store.forms.values()])).not.toContain('s3cret')
    expect(entry.draft.entered.secrets[0]?.value).toBe('')
  })

  it('keeps what was typed while it was sent as a draft, and says what was created', async () => {
    const { store, form, entry, send } = begun()
    let answer: (value: unknown) => void = () => undefined
    created = () => new Promise((resolve) => (answer = resolve))
    const sending = send()
    store.set(entry, ['name'], 'the next one')
    answer(detail(ready))
    expect(await sending).toBe(true)
    expect(form.created?.deployment.id).toBe('d-1')
    expect(form.drafts.map(({ draft }) => draft.entered)).toMatchObject([
      { name: 'the next one', secrets: [{ name: 'KEY', value: 's3cret' }] },
    ])
    expect(entry).toMatchObject({ sending: false, sent: null })
    expect(entry.notes?.items.join()).toContain('“agent” was created as you had reviewed it.')
    await told()
    expect(inputs('drafts.save').at(-1)).toMatchObject({
      draft: { sentAt: null, content: { entered: { name: 'the next one' } } },
    })
  })

  it('keeps a draft with a text that gave way, which was not sent', async () => {
    const { store, form, entry, send } = begun()
    entry.left = { language: 'yaml', text: 'name: [ typed for an hour', way: null }
    expect(await send()).toBe(true)
    expect(form.created?.deployment.id).toBe('d-1')
    expect(store.currentDraft(form).left?.text).toBe('name: [ typed for an hour')
    expect(entry.notes?.items.join()).toContain('“agent” was created')
  })

  it('keeps everything after a failure, and what the service said about a field until that is changed', async () => {
    const { store, form, entry, send } = begun()
    created = () => fail(failure('conflict', 'It is being created already.'))
    expect(await send()).toBe(false)
    // Slipway said that, and not the service.
    expect(entry.issues).toEqual([])
    const answered = { sent: 'answered', status: 409, serviceWords: 'agent exists' } as const
    created = () => fail(failure('conflict', 'Taken.', answered))
    expect(await send()).toBe(false)
    expect(store.currentDraft(form).id).toBe(entry.id)
    expect(entry.draft.entered.secrets).toEqual([{ name: 'KEY', value: 's3cret' }])
    expect(entry.issues).toEqual([{ path: ['name'], message: 'agent exists' }])
    store.set(entry, ['source_config', 'repo_url'], 'x')
    expect(entry.issues).toHaveLength(1)
    store.set(entry, ['name'], 'agent-2')
    expect(entry.issues).toEqual([])
  })
})

describe('a created deployment', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  it.each(['in view', 'while it was being created', 'while another environment was shown'])(
    'is neither shown nor asked for once its environment leads to another account: %s',
    async (when) => {
      const app = useAppStore()
      vi.mocked(call).mockResolvedValueOnce(succeed(stateOf('one', 'two')))
      await app.start()
      const { store, form, send } = begun()
      const tell = (state: AppState) =>
        vi
          .mocked(on)
          .mock.calls.find(([name]) => name === 'app.state')![1](state)
      const edited = stateOf('one', 'two')
      edited.environments[0]!.service = 'one, another account'
      let answer: () => void = () => undefined
      const awaited = deploymentSchema.parse({ id: 'd-1', name: 'agent', status: 'AWAITING_DATABASE' })
      created = () => new Promise((resolve) => (answer = () => resolve(detail(awaited))))
      const sending = send()
      created = () => detail(awaited)
      if (when === 'while it was being created') tell(edited)
      answer()
      expect(await sending).toBe(true)
      expect(store.currentDraft(form).draft.entered.name).toBe('')
      if (when === 'in view') {
        expect(form.created?.deployment.id).toBe('d-1')
        await vi.advanceTimersByTimeAsync(following.everyMs)
        expect(inputs('deployments.get')).toHaveLength(1)
        tell(edited)
      }
      if (when === 'while another environment was shown') {
        tell({ ...edited, currentEnvironmentId: 'two' })
        tell(edited)
        void store.follow(form)
      }
      const asked = inputs('deployments.get').length
      await nextTick()
      expect(form.created).toBe(null)
      await vi.advanceTimersByTimeAsync(3 * following.everyMs)
      expect(inputs('deployments.get')).toHaveLength(asked)
    },
  )
})

describe('drafts', () => {
  it('belong to their environment, and go with it when it is removed', async () => {
    const { store, entry } = begun()
    expect(store.currentDraft(store.open('two', 'cloud')).draft.entered.name).toBe('')
    expect(store.currentDraft(store.open('one', 'cloud')).id).toBe(entry.id)
    useAppStore().state = stateOf('two')
    await nextTick()
    expect(store.forms.has('one')).toBe(false)
    expect(entry.draft.entered.secrets[0]?.value).toBe('')
  })

  it('stay beside one that is filled in from elsewhere; an untouched one gives way', () => {
    const { store, form } = begun()
    expect(store.prefillFromDeployment(ready)).toBe(true)
    expect(form.drafts).toHaveLength(2)
    useAppStore().state = stateOf('two', 'one')
    const other = store.open('two', 'cloud')
    store.prefillFromDeployment(ready)
    expect(other.drafts).toHaveLength(1)
  })

  it('are not begun where the mode of the environment is not known', () => {
    const state = stateOf('one')
    state.environments[0]!.profile = null
    useAppStore().state = state
    expect(useDraftsStore().prefillFromDeployment(ready)).toBe(false)
  })
})

describe('keeping drafts', () => {
  const id = '00000000-0000-4000-8000-000000000001'
  const mark = keptValue('value-1')
  const keptDraft = (name: string): KeptDraft => ({
    id,
    content: { entered: { name, source: 'repohost', secrets: [{ name: 'KEY', value: mark }] }, alsoSent: [] },
    notes: null,
    sentAt: null,
  })

  it('shows the one that was shown last, in the place of the empty one', async () => {
    kept.one = { drafts: [keptDraft('from-before')], currentId: id }
    useAppStore().state = stateOf('one')
    const store = useDraftsStore()
    const form = store.open('one', 'cloud')
    expect(form.loaded).toBe(false)
    await settled()
    expect(form.loaded).toBe(true)
    expect(form.drafts).toHaveLength(1)
    expect(store.currentDraft(form)).toMatchObject({ id, restored: true })
    expect(requestOf(store.currentDraft(form).draft)).toMatchObject({
      name: 'from-before',
      source_config: {},
      secrets: [{ name: 'KEY', value: mark }],
    })
    expect(inputs('drafts.save')).toEqual([])
  })

  it('shows one that turns up while the answer without it is on its way', async () => {
    useAppStore().state = stateOf('one')
    const store = useDraftsStore()
    const form = store.open('one', 'cloud')
    kept.one = { drafts: [keptDraft('from-before')], currentId: id }
    const heard = vi.mocked(on).mock.calls.find(([name]) => name === 'drafts.changed')![1]
    heard(disk)
    await settled()
    expect(inputs('drafts.list')).toHaveLength(2)
    expect(store.currentDraft(form)).toMatchObject({ id, restored: true })
  })

  /** Answers every draft that is told: those of a name with why they are not kept. */
  function refuse(name: string, how: 'refused' | 'refused in a field' | 'kept in memory'): void {
    const refused = failure('invalid-input', 'This draft is too large to be kept.', { advice: 'Shorten it.' })
    const inField = failure('invalid-input', 'Something is not as it must be.', {
      advice: 'Mend what is named.',
      issues: [{ path: ['draft'], message: `${refused.message} ${refused.advice}` }],
    })
    const inMemory = { ...disk, kept: 'session', message: `${refused.message} ${refused.advice}` }
    vi.mocked(call).mockImplementation(((called: string, input: { draft: KeptDraft }) => {
      if (called === 'drafts.list') return Promise.resolve(fail(failure('internal', 'No.')))
      if (called !== 'drafts.save') return Promise.resolve(succeed(disk))
      if (input.draft.content.entered.name !== name)
        return Promise.resolve(succeed({ keeping: disk, marks: [] }))
      if (how === 'kept in memory') return Promise.resolve(succeed({ keeping: inMemory, marks: [] }))
      return Promise.resolve(fail(how === 'refused' ? refused : inField))
    }) as never)
  }

  const tooLarge = {
    kept: 'session',
    message: 'Draft “large” in one: This draft is too large to be kept. Shorten it.',
    setAside: null,
  }

  it.each(['refused', 'refused in a field', 'kept in memory'] as const)(
    'says that the main process does not keep a draft until that one is kept or discarded: %s',
    async (how) => {
      const { store, form, entry } = begun()
      await settled()
      refuse('large', how)
      const heard = vi.mocked(on).mock.calls.find(([name]) => name === 'drafts.changed')![1]
      store.set(entry, ['name'], 'large')
      await told()
      expect(store.keeping).toEqual(tooLarge)
      expect(entry.draft.entered.name).toBe('large')
      store.beginEmpty()
      store.set(store.currentDraft(form), ['name'], 'other')
      await told()
      store.discard(form, store.currentDraft(form), 'cloud')
      await settled()
      heard(disk)
      expect(await store.retryKeeping()).toBe(null)
      expect(store.keeping).toEqual(tooLarge)
      store.set(entry, ['name'], 'small')
      await told()
      expect(store.keeping).toEqual(disk)
      store.set(entry, ['name'], 'large')
      await told()
      expect(store.keeping).toEqual(tooLarge)
      store.discard(form, entry, 'cloud')
      await settled()
      expect(store.keeping).toEqual(disk)
    },
  )

  it('says first where no draft is kept on disk, and forgets that when they are again', async () => {
    const { store, entry } = begun()
    await settled()
    const waiting = { kept: 'waiting' as const, message: 'The keychain is locked.', setAside: null }
    const heard = vi.mocked(on).mock.calls.find(([name]) => name === 'drafts.changed')![1]
    vi.mocked(call).mockImplementation((called: string) =>
      Promise.resolve(
        called === 'drafts.list'
          ? fail(failure('internal', 'No.'))
          : succeed({ keeping: waiting, marks: [] }),
      ),
    )
    store.set(entry, ['name'], 'renamed')
    await told()
    heard(waiting)
    expect(store.keeping).toEqual(waiting)
    heard(disk)
    expect(store.keeping).toEqual(disk)
  })

  it.each(['a draft was discarded', 'Retry'])(
    'tells a draft that was not kept again after %s, since there may be room for it',
    async (occasion) => {
      const { store, form, entry } = begun()
      await settled()
      store.beginEmpty()
      const other = store.currentDraft(form)
      store.set(other, ['name'], 'other')
      refuse('large', 'refused')
      store.set(entry, ['name'], 'large')
      await told()
      expect(store.keeping).toEqual(tooLarge)
      refuse('none', 'refused')
      if (occasion === 'Retry') await store.retryKeeping()
      else store.discard(form, other, 'cloud')
      await settled()
      expect(store.keeping).toEqual(disk)
    },
  )

  describe('where the main process does not take what it is told', () => {
    const tooMany = failure('not-allowed', "Too many operations are running, so this one wasn't started.", {
      retryable: true,
    })
    const broken = failure('internal', 'Something went wrong inside the application.')
    const notTaken = ({ message }: Failure) => ({
      kept: 'session',
      message: `Draft “agent” in one: The latest changes are not kept yet. ${message} Slipway tries again by itself; until that works, they are in this window only, and lost when it is closed.`,
      setAside: null,
    })

    beforeEach(() => {
      vi.useFakeTimers()
    })

    afterEach(() => {
      vi.useRealTimers()
    })

    /** A draft that was begun, and a call that fails until it is mended. */
    function failing(name: CallName, reason: Failure) {
      const made = begun()
      const usual = vi.mocked(call).getMockImplementation()!
      let fails = true
      vi.mocked(call).mockImplementation(((called: CallName, ...given: [never, never]) =>
        called === name && fails ? Promise.resolve(fail(reason)) : usual(called, ...given)) as never)
      return { ...made, mend: () => (fails = false) }
    }

    /** How often a draft was told so far; those of other tests may be told as well. */
    const times = (name: string, { id: wanted }: { id: string }): number =>
      inputs(name).filter(({ id: removed, draft }) => (removed ?? (draft as KeptDraft).id) === wanted).length

    it.each([tooMany, broken])(
      'says so and tells it again by itself, ever less often: $code',
      async (reason) => {
        const { store, entry, mend } = failing('drafts.save', reason)
        const saves = (): number => times('drafts.save', entry)
        await vi.advanceTimersByTimeAsync(1_000)
        expect(saves()).toBe(1)
        expect(store.keeping).toEqual(notTaken(reason))
        await vi.advanceTimersByTimeAsync(tellingAgain.firstMs)
        expect(saves()).toBe(2)
        await vi.advanceTimersByTimeAsync(20 * tellingAgain.firstMs)
        expect(saves()).toBe(5)
        await vi.advanceTimersByTimeAsync(10 * tellingAgain.mostMs)
        expect(store.keeping).toEqual(notTaken(reason))
        const tried = saves()
        expect(tried).toBeGreaterThan(10)
        mend()
        await vi.advanceTimersByTimeAsync(tellingAgain.mostMs + 1_000)
        expect(saves()).toBe(tried + 1)
        expect(store.keeping).toEqual(disk)
        await vi.advanceTimersByTimeAsync(10 * tellingAgain.mostMs)
        expect(saves(), 'it is kept').toBe(tried + 1)
      },
    )

    it('tells it with the next change of any draft, and when the window closes', async () => {
      const { store, form, entry, mend } = failing('drafts.save', broken)
      await told()
      store.beginEmpty()
      const other = store.currentDraft(form)
      store.set(other, ['name'], 'other')
      await vi.advanceTimersByTimeAsync(tellingAgain.firstMs - 1)
      expect([entry, other].map((one) => times('drafts.save', one))).toEqual([2, 1])
      mend()
      await told()
      expect([entry, other].map((one) => times('drafts.save', one))).toEqual([3, 2])
      expect(store.keeping).toEqual(disk)
    })

    it('discards again what was not discarded', async () => {
      const { store, form, entry, mend } = failing('drafts.remove', broken)
      await told()
      store.discard(form, entry, 'cloud')
      await vi.advanceTimersByTimeAsync(2 * tellingAgain.firstMs)
      expect(times('drafts.remove', entry)).toBe(2)
      mend()
      await vi.advanceTimersByTimeAsync(10 * tellingAgain.mostMs)
      expect(times('drafts.remove', entry)).toBe(3)
      expect(times('drafts.save', entry)).toBe(1)
    })

    it('says what is not discarded yet, and does not show it again', async () => {
      const { store, form, entry, mend } = failing('drafts.remove', broken)
      await told()
      store.beginEmpty()
      store.discard(form, entry, 'cloud')
      await settled()
      expect(store.keeping).toMatchObject({
        kept: 'session',
        message: expect.stringContaining('Draft “agent” in one: It is not discarded yet.') as string,
      })
      const stillKept = { ...keptDraft('agent'), id: entry.id }
      kept.one = { drafts: [stillKept], currentId: entry.id }
      const heard = vi.mocked(on).mock.calls.find(([name]) => name === 'drafts.changed')![1]
      heard(disk)
      await settled()
      expect(form.drafts.map(({ id }) => id)).not.toContain(entry.id)
      await store.retryKeeping()
      expect(store.keeping?.message).toContain('It is not discarded yet.')
      mend()
      await store.retryKeeping()
      expect(store.keeping).toEqual(disk)
      expect(times('drafts.remove', entry)).toBe(3)
      await vi.advanceTimersByTimeAsync(10 * tellingAgain.mostMs)
      expect(times('drafts.remove', entry)).toBe(3)
      expect(form.drafts.map(({ id }) => id)).not.toContain(entry.id)
    })

    it('does not discard again what went with its environment', async () => {
      const { store, form, entry } = failing('drafts.remove', failure('not-found', 'No such environment.'))
      await told()
      store.discard(form, entry, 'cloud')
      await vi.advanceTimersByTimeAsync(10 * tellingAgain.mostMs)
      expect(times('drafts.remove', entry)).toBe(1)
    })
  })

  it('keeps what is being typed in view when others turn up later', async () => {
    const { store, form, entry } = begun()
    await settled()
    kept.one = { drafts: [keptDraft('from-before')], currentId: id }
    const heard = vi.mocked(on).mock.calls.find(([name]) => name === 'drafts.changed')![1]
    heard(disk)
    heard(disk)
    await settled()
    expect(form.drafts.map(({ draft }) => draft.entered.name)).toEqual(['from-before', 'agent'])
    expect(store.currentDraft(form).id).toBe(entry.id)
  })

  it('tells the main process soon after a change, at once when the window closes, and only what was touched', async () => {
    vi.useFakeTimers()
    const { store, form, entry } = begun()
    vi.advanceTimersByTime(1_000)
    expect(inputs('drafts.save')).toMatchObject([
      {
        environmentId: 'one',
        current: true,
        draft: { id: entry.id, content: { entered: { name: 'agent' } } },
      },
    ])
    store.set(entry, ['name'], 'agent-2')
    window.dispatchEvent(new Event('beforeunload'))
    const saves = () => inputs('drafts.save').filter(({ draft }) => (draft as KeptDraft).id === entry.id)
    expect(saves()).toHaveLength(2)
    expect(saves().at(-1)).toMatchObject({ draft: { content: { entered: { name: 'agent-2' } } } })
    store.beginEmpty()
    store.discard(form, entry, 'cloud')
    vi.advanceTimersByTime(1_000)
    expect(saves()).toHaveLength(2)
    expect(inputs('drafts.remove')).toEqual([{ environmentId: 'one', id: entry.id }])
    vi.useRealTimers()
  })

  it('tells when a draft was sent, until it is changed', async () => {
    const { store, entry, send } = begun()
    created = () => fail(failure('connection-lost', 'Lost.', { sent: 'maybe' }))
    await send()
    // Before it is sent: Slipway may end at any moment after.
    const told = vi.mocked(call).mock.calls.map(([name]) => name)
    expect(told.filter((name) => name !== 'drafts.list').slice(0, 2)).toEqual([
      'drafts.save',
      'deployments.create',
    ])
    const sentAt = () => (inputs('drafts.save').at(-1)?.draft as KeptDraft).sentAt
    expect(sentAt()).toBe(entry.sent?.at)
    store.set(entry, ['name'], 'agent-2')
    window.dispatchEvent(new Event('beforeunload'))
    expect(sentAt()).toBe(null)
  })

  it.each(['invalid-input', 'confirmation-needed', 'attempt-unclear', 'attempt-changed', 'offline'] as const)(
    'tells when a draft was really sent, after one more try that never left: %s',
    async (code) => {
      vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-01T10:00:00Z') })
      const { entry, send } = begun()
      created = () => fail(failure('connection-lost', 'Lost.', { sent: 'maybe' }))
      await send()
      vi.setSystemTime(new Date('2026-11-01T11:00:00Z'))
      created = () => fail(failure(code, 'Not sent.'))
      await send()
      expect(entry.sent).toMatchObject({ at: '2026-11-01T10:00:00.000Z' })
      window.dispatchEvent(new Event('beforeunload'))
      expect(inputs('drafts.save').at(-1)).toMatchObject({ draft: { sentAt: '2026-11-01T10:00:00.000Z' } })
      vi.useRealTimers()
    },
  )

  it('says that nothing was sent where the environment was edited before, and else where to see what became of it', async () => {
    const { entry, send } = begun()
    const edited = failure('environment-changed', 'Edited, so nothing was sent.')
    created = () => fail(edited)
    await send()
    expect(entry.failure).toEqual(edited)
    created = () => fail({ ...edited, sent: 'maybe' })
    await send()
    expect(entry.failure).toMatchObject({
      sent: 'maybe',
      advice: 'Activity shows what became of the request.',
    })
  })

  it('answers when the application asks before it quits', () => {
    begun()
    const ask = vi.mocked(on).mock.calls.find(([name]) => name === 'drafts.ask')![1]
    ask(null)
    const names = vi.mocked(call).mock.calls.map(([name]) => name)
    expect(names).toEqual(['drafts.save', 'drafts.told'])
  })

  it('asks again where the environment was changed before the answer', async () => {
    useAppStore().state = stateOf('one', 'two')
    const store = useDraftsStore()
    vi.mocked(call).mockResolvedValueOnce(fail(failure('environment-changed', 'Changed.')))
    kept.two = { drafts: [keptDraft('from-before')], currentId: id }
    const form = store.open('two', 'cloud')
    await settled()
    expect(form.loaded).toBe(false)
    store.open('two', 'cloud')
    await settled()
    expect(store.currentDraft(form).id).toBe(id)
  })
})

describe('templates and copies', () => {
  it('a template has neither name nor secret values, and drafts are begun from it', async () => {
    const { store, form, entry } = begun()
    await settled()
    expect(await store.saveTemplate(form, 'Agents', entry.draft)).toBe(null)
    expect(inputs('drafts.saveTemplate')).toMatchObject([
      {
        template: {
          name: 'Agents',
          content: { entered: { name: '', secrets: [{ name: 'KEY', value: '' }] } },
        },
      },
    ])
    store.beginFromTemplate(form.templates[0]!)
    expect(form.drafts).toHaveLength(2)
    const begunFrom = store.currentDraft(form)
    expect(begunFrom.draft.entered.secrets).toEqual([{ name: 'KEY', value: '' }])
    expect(begunFrom.notes?.items.join(' ')).toContain('KEY')
    await store.renameTemplate(form, form.templates[0]!, 'Renamed')
    expect(form.templates.map(({ name }) => name)).toEqual(['Renamed'])
    await store.removeTemplate(form, form.templates[0]!)
    expect(form.templates).toEqual([])
  })

  it.each([true, false])(
    'a draft is taken to another environment (moved: %s), told there first',
    async (move) => {
      const { store, form, entry } = begun()
      await settled()
      await told()
      vi.mocked(call).mockClear()
      const [from, to] = stateOf('one', 'two').environments
      await store.copyTo(form, entry, from!, to!, move)
      const called = vi.mocked(call).mock.calls.map(([name]) => name)
      expect(called.filter((name) => name !== 'drafts.list')).toEqual([
        'drafts.save',
        ...(move ? ['drafts.remove'] : []),
      ])
      const target = store.open('two', 'cloud')
      await settled()
      expect(store.currentDraft(target).draft.entered).toMatchObject({
        name: 'agent',
        secrets: [{ name: 'KEY', value: 's3cret' }],
      })
      expect(form.drafts.some(({ id }) => id === entry.id)).toBe(!move)
    },
  )

  it('a draft with a text that gave way is copied, and not taken away', async () => {
    const { store, form, entry } = begun()
    await settled()
    entry.left = { language: 'yaml', text: 'name: [ typed for an hour', way: null }
    const [from, to] = stateOf('one', 'two').environments
    expect(await store.copyTo(form, entry, from!, to!, true)).toBe(false)
    expect(form.drafts).toContain(entry)
    expect(store.currentDraft(store.open('two', 'cloud')).notes?.items[0]).toContain('still in one as well')
  })
})
