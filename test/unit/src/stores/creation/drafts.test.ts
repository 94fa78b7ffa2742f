import { secretMark } from '@contract'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import { call } from '@/api'
import { requestOf } from '@/domain/draft/draft'
import { useAppStore } from '@/stores/application/app'
import { useDraftsStore } from '@/stores/creation/drafts'
import {
  answers,
  begun,
  disk,
  emitDraftsChanged,
  flushed,
  inputs,
  ready,
  savedDraft,
  savedId,
  setUpStores,
  stateOf,
} from '../../../../support/page/draft-stores'
import { settled } from '../../../../support/page/fake-bridge'

vi.mock('@/api', () => ({ call: vi.fn(), on: vi.fn() }))

beforeEach(setUpStores)

describe('drafts', () => {
  it('belong to their environment, and are removed with it', async () => {
    const { store, entry } = begun()
    expect(store.currentDraft(store.open('two', 'cloud')).draft.entered.name).toBe('')
    expect(store.currentDraft(store.open('one', 'cloud')).id).toBe(entry.id)
    useAppStore().state = stateOf('two')
    await nextTick()
    expect(store.forms.has('one')).toBe(false)
    expect(entry.draft.entered.secrets[0]?.value).toBe('')
  })

  it('stay beside one that is filled in from elsewhere, which replaces an untouched one', () => {
    const { store, form } = begun()
    expect(store.beginFromDeployment(ready)).toBe(true)
    expect(form.drafts).toHaveLength(2)
    useAppStore().state = stateOf('two', 'one')
    const other = store.open('two', 'cloud')
    store.beginFromDeployment(ready)
    expect(other.drafts).toHaveLength(1)
  })

  it('open once at the first empty field if they begin from a repository, or else at the heading', () => {
    const { store, entry, form } = begun()
    expect(store.noteOpened(entry)).toBe(false)
    const named = { name: 'agent', url: 'https://git.example.com/agent', default_branch: 'main' }
    store.beginFromRepository({ ...named, host_integration_id: null, id: 1, owner: null })
    const fromRepository = store.currentDraft(form)
    expect(store.noteOpened(fromRepository)).toBe(true)
    expect(store.noteOpened(fromRepository)).toBe(false)
  })
})

describe('saved drafts', () => {
  it('shows the one that was shown last, instead of the empty one', async () => {
    answers.saved.one = { drafts: [savedDraft('from-before')], currentId: savedId }
    useAppStore().state = stateOf('one')
    const store = useDraftsStore()
    const form = store.open('one', 'cloud')
    expect(form.loaded).toBe(false)
    await settled()
    expect(form.loaded).toBe(true)
    expect(form.drafts).toHaveLength(1)
    expect(store.currentDraft(form)).toMatchObject({ id: savedId, restored: true })
    expect(requestOf(store.currentDraft(form).draft)).toMatchObject({
      name: 'from-before',
      source_config: {},
      secrets: [{ name: 'KEY', value: secretMark('value-1') }],
    })
    expect(inputs('drafts.save')).toEqual([])
  })

  it('keeps what is being typed in view when others appear later', async () => {
    const { store, form, entry } = begun()
    await settled()
    answers.saved.one = { drafts: [savedDraft('from-before')], currentId: savedId }
    emitDraftsChanged(disk)
    emitDraftsChanged(disk)
    await settled()
    expect(form.drafts.map(({ draft }) => draft.entered.name)).toEqual(['from-before', 'agent'])
    expect(store.currentDraft(form).id).toBe(entry.id)
  })
})

describe('copies', () => {
  it.each([true, false])(
    'a draft is transferred to another environment (moved: %s), saved there first',
    async (move) => {
      const { store, form, entry } = begun()
      await settled()
      await flushed()
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
})
