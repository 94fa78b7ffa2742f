import { beforeEach, describe, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import { useAppStore } from '@/app/stores/app'
import {
  answers,
  begun,
  disk,
  emitDraftsChanged,
  ready,
  savedDraft,
  savedId,
  setUpStores,
  stateOf,
} from '../../../support/page/draft-stores'
import { settled } from '../../../support/page/fake-bridge'

vi.mock('@/app/api', () => ({ call: vi.fn(), on: vi.fn() }))

beforeEach(setUpStores)

describe('drafts', () => {
  it('belong to their environment, and are removed with it', async () => {
    const { store, entry } = begun()
    expect(store.currentDraft(store.open('two')).draft.entered.name).toBe('')
    expect(store.currentDraft(store.open('one')).id).toBe(entry.id)
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
    const other = store.open('two')
    store.beginFromDeployment(ready)
    expect(other.drafts).toHaveLength(1)
  })

  it('open at the first empty field if they begin from a repository, or else at the heading', () => {
    const { store, entry, form } = begun()
    expect(entry.opensAtEmpty).toBe(false)
    const named = { name: 'agent', url: 'https://git.example.com/agent', default_branch: 'main' }
    store.beginFromRepository({ ...named, host_integration_id: null, id: 1, owner: null })
    expect(store.currentDraft(form).opensAtEmpty).toBe(true)
  })
})

describe('saved drafts', () => {
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
