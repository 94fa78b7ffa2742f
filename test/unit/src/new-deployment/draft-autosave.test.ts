import { type CallName, fail, type Failure, failure, type StoredDraft, succeed } from '@contract'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { call } from '@/app/api'
import { retryPauseMs } from '@/features/new-deployment/draft-autosave'
import {
  begun,
  disk,
  emitDraftsChanged,
  flushed,
  inputs,
  setUpStores,
} from '../../../support/page/draft-stores'
import { settled } from '../../../support/page/fake-bridge'

vi.mock('@/app/api', () => ({ call: vi.fn(), on: vi.fn() }))

beforeEach(setUpStores)

/** Answers every save of a draft. Drafts with this name aren't saved, for this reason. */
function refuse(name: string, how: 'refused' | 'refused in a field'): void {
  const refused = failure('invalid-input', 'This draft is too large to be kept.', { advice: 'Shorten it.' })
  const inField = failure('invalid-input', 'Something is not as it must be.', {
    advice: 'Mend what is named.',
    issues: [{ path: ['draft'], message: `${refused.message} ${refused.advice}` }],
  })
  vi.mocked(call).mockImplementation(((called: string, input: { draft: StoredDraft }) => {
    if (called === 'drafts.list') return Promise.resolve(fail(failure('internal', 'No.')))
    if (called !== 'drafts.save' || input.draft.content.entered.name !== name)
      return Promise.resolve(succeed(disk))
    return Promise.resolve(fail(how === 'refused' ? refused : inField))
  }) as never)
}

const tooLarge = {
  storage: 'session',
  message: 'Draft "large" in one: This draft is too large to be kept. Shorten it.',
}

it.each(['refused', 'refused in a field'] as const)(
  'reports that the main process does not store a draft until that one is stored or discarded: %s',
  async (how) => {
    const { store, form, entry } = begun()
    await settled()
    refuse('large', how)
    store.set(entry, ['name'], 'large')
    await flushed()
    expect(store.persistence).toEqual(tooLarge)
    expect(entry.draft.entered.name).toBe('large')
    store.beginEmpty()
    store.set(store.currentDraft(form), ['name'], 'other')
    await flushed()
    store.discard(form, store.currentDraft(form))
    await settled()
    emitDraftsChanged(disk)
    expect(await store.retrySaving()).toBe(null)
    expect(store.persistence).toEqual(tooLarge)
    store.set(entry, ['name'], 'small')
    await flushed()
    expect(store.persistence).toEqual(disk)
    store.set(entry, ['name'], 'large')
    await flushed()
    expect(store.persistence).toEqual(tooLarge)
    store.discard(form, entry)
    await settled()
    expect(store.persistence).toEqual(disk)
  },
)

describe('if the main process refuses it', () => {
  const tooMany = failure('not-allowed', "Too many operations are running, so this one wasn't started.", {
    retryable: true,
  })
  const broken = failure('internal', 'Something went wrong inside Slipway.')
  const notTaken = ({ message }: Failure) => ({
    storage: 'session',
    message: `Draft "agent" in one: The latest changes aren't saved yet. ${message} Slipway tries again by itself; until that works, they are in this window only, and lost when it is closed.`,
  })

  beforeEach(() => {
    vi.useFakeTimers()
  })

  /** A draft, and a call that fails until the test fixes it. */
  function failing(name: CallName, reason: Failure) {
    const made = begun()
    const usual = vi.mocked(call).getMockImplementation()!
    let fails = true
    vi.mocked(call).mockImplementation(((called: CallName, ...args: [never, never]) =>
      called === name && fails ? Promise.resolve(fail(reason)) : usual(called, ...args)) as never)
    return { ...made, mend: () => (fails = false) }
  }

  /** How often a draft was saved so far. Drafts of other tests may be saved as well. */
  const times = (name: string, { id: wanted }: { id: string }): number =>
    inputs(name).filter(({ id: removed, draft }) => (removed ?? (draft as StoredDraft).id) === wanted).length

  it.each([tooMany, broken])('reports that and sends it again automatically: $code', async (reason) => {
    const { store, entry, mend } = failing('drafts.save', reason)
    const saves = (): number => times('drafts.save', entry)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(saves()).toBe(1)
    expect(store.persistence).toEqual(notTaken(reason))
    await vi.advanceTimersByTimeAsync(2 * retryPauseMs)
    expect(saves()).toBe(3)
    expect(store.persistence).toEqual(notTaken(reason))
    mend()
    await vi.advanceTimersByTimeAsync(10 * retryPauseMs)
    expect(saves()).toBe(4)
    expect(store.persistence).toEqual(disk)
  })
})

it('notifies the main process soon after a change or at once when the window closes, only of changes', async () => {
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
  const saves = () => inputs('drafts.save').filter(({ draft }) => (draft as StoredDraft).id === entry.id)
  expect(saves()).toHaveLength(2)
  expect(saves().at(-1)).toMatchObject({ draft: { content: { entered: { name: 'agent-2' } } } })
  store.beginEmpty()
  store.discard(form, entry)
  vi.advanceTimersByTime(1_000)
  expect(saves()).toHaveLength(2)
  expect(inputs('drafts.remove')).toEqual([{ environmentId: 'one', id: entry.id }])
})
