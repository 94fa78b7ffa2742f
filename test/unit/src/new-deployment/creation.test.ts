import { type AppState, deploymentSchema, fail, failure, type StoredDraft, succeed } from '@contract'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import { call, on } from '@/app/api'
import { useAppStore } from '@/app/stores/app'
import { statusPolling } from '@/features/new-deployment/creation'
import {
  answers,
  begun,
  detail,
  flushed,
  inputs,
  ready,
  setUpStores,
  stateOf,
} from '../../../support/page/draft-stores'

vi.mock('@/app/api', () => ({ call: vi.fn(), on: vi.fn() }))

beforeEach(setUpStores)

describe('creating', () => {
  it('keeps no secret value after success', async () => {
    const { store, entry, send } = begun()
    await send()
    expect(JSON.stringify([...store.forms.values()])).not.toContain('s3cret')
    expect(entry.draft.entered.secrets[0]?.value).toBe('')
  })

  it('keeps what was typed during sending as a draft, and shows what was created', async () => {
    const { store, form, entry, send } = begun()
    let answer: (value: unknown) => void = () => undefined
    answers.create = () => new Promise((resolve) => (answer = resolve))
    const sending = send()
    store.set(entry, ['name'], 'the next one')
    answer(detail(ready))
    expect(await sending).toBe(true)
    expect(form.created?.deployment.id).toBe('d-1')
    expect(form.drafts.map(({ draft }) => draft.entered)).toMatchObject([
      { name: 'the next one', secrets: [{ name: 'KEY', value: 's3cret' }] },
    ])
    expect(entry).toMatchObject({ sending: false, sent: null })
    expect(entry.notes?.items).toEqual([
      '"agent" was created as you had reviewed it. This draft also has what you typed that was not sent.',
    ])
    await flushed()
    expect(inputs('drafts.save').at(-1)).toMatchObject({
      draft: { sentAt: null, content: { entered: { name: 'the next one' } } },
    })
  })

  it('keeps everything after a failure, and the service’s message about a field until that changes', async () => {
    const { store, form, entry, send } = begun()
    answers.create = () => fail(failure('conflict', 'It is already being created.'))
    expect(await send()).toBe(false)
    // That was Slipway's own message, not the service's.
    expect(entry.failure?.issues).toEqual([])
    const answered = { sent: 'answered', status: 409, serviceWords: 'agent exists' } as const
    answers.create = () => fail(failure('conflict', 'Taken.', answered))
    expect(await send()).toBe(false)
    expect(store.currentDraft(form).id).toBe(entry.id)
    expect(entry.draft.entered.secrets).toEqual([{ name: 'KEY', value: 's3cret' }])
    expect(entry.failure?.issues).toEqual([{ path: ['name'], message: 'agent exists' }])
    store.set(entry, ['source_config', 'repo_url'], 'x')
    expect(entry.failure?.issues).toHaveLength(1)
    store.set(entry, ['name'], 'agent-2')
    expect(entry.failure?.issues).toEqual([])
  })
})

describe('a created deployment', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })

  it('shows its status as it changes until it has its database, and no other call reads it', async () => {
    const { form, send } = begun()
    answers.create = () => detail({ ...ready, status: 'AWAITING_DATABASE' })
    answers.status = 'AWAITING_DATABASE'
    await send()
    await vi.advanceTimersByTimeAsync(2 * statusPolling.everyMs)
    expect(inputs('deployments.status')).toEqual(Array(2).fill({ environmentId: 'one', id: 'd-1' }))
    expect(form.created?.deployment.status).toBe('AWAITING_DATABASE')
    answers.status = 'READY'
    await vi.advanceTimersByTimeAsync(3 * statusPolling.everyMs)
    expect(form.created?.deployment).toEqual(ready)
    expect(inputs('deployments.status')).toHaveLength(3)
    expect(inputs('window.notify')).toHaveLength(1)
    expect(inputs('deployments.get')).toEqual([])
  })

  it.each(['in view', 'while it was being created', 'while another environment was shown'])(
    'is neither shown nor requested once its environment leads to another account: %s',
    async (when) => {
      const app = useAppStore()
      vi.mocked(call).mockResolvedValueOnce(succeed(stateOf('one', 'two')))
      await app.start()
      const { store, creation, form, send } = begun()
      const tell = (state: AppState) =>
        vi
          .mocked(on)
          .mock.calls.find(([name]) => name === 'app.state')![1](state)
      const edited = stateOf('one', 'two')
      edited.environments[0]!.service = 'one, another account'
      let answer: () => void = () => undefined
      const awaited = deploymentSchema.parse({ id: 'd-1', name: 'agent', status: 'AWAITING_DATABASE' })
      answers.create = () => new Promise((resolve) => (answer = () => resolve(detail(awaited))))
      const sending = send()
      answers.status = awaited.status
      if (when === 'while it was being created') tell(edited)
      answer()
      expect(await sending).toBe(true)
      expect(store.currentDraft(form).draft.entered.name).toBe('')
      if (when === 'in view') {
        expect(form.created?.deployment.id).toBe('d-1')
        await vi.advanceTimersByTimeAsync(statusPolling.everyMs)
        expect(inputs('deployments.status')).toHaveLength(1)
        tell(edited)
      }
      if (when === 'while another environment was shown') {
        tell({ ...edited, currentEnvironmentId: 'two' })
        tell(edited)
        void creation.followStatus(form)
      }
      const requestCount = inputs('deployments.status').length
      await nextTick()
      expect(form.created).toBe(null)
      await vi.advanceTimersByTimeAsync(3 * statusPolling.everyMs)
      expect(inputs('deployments.status')).toHaveLength(requestCount)
    },
  )
})

describe('the time of sending', () => {
  it('says when a draft was sent, until it is changed', async () => {
    const { store, entry, send } = begun()
    answers.create = () => fail(failure('connection-lost', 'Lost.', { sent: 'maybe' }))
    await send()
    // Before it is sent, because Slipway may end at any moment after.
    const calls = vi.mocked(call).mock.calls.map(([name]) => name)
    expect(calls.filter((name) => name !== 'drafts.list').slice(0, 2)).toEqual([
      'drafts.save',
      'deployments.create',
    ])
    const sentAt = () => (inputs('drafts.save').at(-1)?.draft as StoredDraft).sentAt
    expect(sentAt()).toBe(entry.sent?.at)
    store.set(entry, ['name'], 'agent-2')
    window.dispatchEvent(new Event('beforeunload'))
    expect(sentAt()).toBe(null)
  })
})

it('says that nothing was sent if the environment was edited before, or else where to see the result', async () => {
  const { entry, send } = begun()
  const edited = failure('environment-changed', 'Edited, so nothing was sent.')
  answers.create = () => fail(edited)
  await send()
  expect(entry.failure).toEqual(edited)
  answers.create = () => fail({ ...edited, sent: 'maybe' })
  await send()
  expect(entry.failure).toMatchObject({
    sent: 'maybe',
    advice: 'Activity shows what became of the request.',
  })
})
