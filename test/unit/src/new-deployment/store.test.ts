import {
  type AppState,
  type CreateRequest,
  type Deployment,
  deploymentSchema,
  fail,
  failure,
  succeed,
} from '@contract'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import { call } from '@/api'
import { requestOf } from '@/screens/new-deployment/model/draft'
import { useAppStore } from '@/stores/app'
import { useNewDeploymentStore } from '@/stores/new-deployment'

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
  problem: null,
})

/** The window's state with these environments, the first being the current one. */
const stateOf = (...ids: string[]): AppState => ({
  version: '0',
  environments: ids.map(environment),
  currentEnvironmentId: ids[0]!,
  keychain: { state: 'available', message: null },
  connection: { environmentId: ids[0]!, state: 'unknown', at: null, reason: null },
})

const ready: Deployment = deploymentSchema.parse({ id: 'd-1', name: 'agent', status: 'READY' })

/** A store whose draft in environment "one" has a name and a secret. */
function begun() {
  useAppStore().state = stateOf('one', 'two')
  const store = useNewDeploymentStore()
  const form = store.open('one', 'cloud')
  const entry = store.currentDraft(form)
  store.set(entry, ['name'], 'agent')
  store.set(entry, ['secrets', 0], { name: 'KEY', value: 's3cret' })
  return { store, form, entry, send: () => store.create(form, entry, requestOf(entry.draft), 'cloud', null) }
}

const detail = (deployment: Deployment) =>
  succeed({ environmentId: 'one', deployment, json: '', fetchedAt: '' })

beforeEach(() => {
  setActivePinia(createPinia())
  vi.mocked(call).mockReset()
})

describe('creating', () => {
  it('sends once, however often it is asked to while the answer is out', async () => {
    const { store, form, entry, send } = begun()
    let answer: (value: unknown) => void = () => undefined
    vi.mocked(call).mockReturnValue(new Promise((resolve) => (answer = resolve)) as never)
    const first = send()
    expect(await send()).toBe(false)
    expect(entry.sending).toBe(true)
    answer(detail(ready))
    expect(await first).toBe(true)
    expect(vi.mocked(call)).toHaveBeenCalledTimes(1)
    const [, input] = vi.mocked(call).mock.calls[0]!
    expect((input as { request: CreateRequest }).request.secrets).toEqual([{ name: 'KEY', value: 's3cret' }])
    expect(form.created?.deployment.id).toBe('d-1')
    expect(store.currentDraft(form).draft.entered.name).toBe('')
  })

  it('keeps no secret value after success', async () => {
    const { store, entry, send } = begun()
    vi.mocked(call).mockResolvedValue(detail(ready))
    await send()
    expect(JSON.stringify([...store.forms.values()])).not.toContain('s3cret')
    expect(entry.draft.entered.secrets[0]?.value).toBe('')
  })

  it('keeps everything after a failure, and what the service said about a field until that is changed', async () => {
    const { store, form, entry, send } = begun()
    vi.mocked(call).mockResolvedValue(fail(failure('conflict', 'Taken.', { serviceWords: 'agent exists' })))
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
    expect(useNewDeploymentStore().prefillFromDeployment(ready)).toBe(false)
  })
})
