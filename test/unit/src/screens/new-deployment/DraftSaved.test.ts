import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { emptyDraft } from '@/domain/draft/draft'
import DraftSaved from '@/screens/new-deployment/DraftSaved.vue'
import { createDraftEntry } from '@/stores/creation/draft-entry'

it('says whether the last change is saved, and nothing about a text that is in no draft', async () => {
  const entry = createDraftEntry('a', 1, emptyDraft('cloud'))
  const saved = mount(DraftSaved, { props: { entry } })
  expect(saved.text()).toBe('Saving…')
  await saved.setProps({ entry: { ...entry, revision: 3, savedRevision: 3 } })
  expect(saved.text()).toBe('Draft saved')
  await saved.setProps({ entry: { ...entry, revision: 4, savedRevision: 3 } })
  expect(saved.text()).toBe('Saving…')
  const unread = { language: 'json' as const, text: '{', accountKey: null }
  await saved.setProps({ entry: { ...entry, savedRevision: 0, unread } })
  expect(saved.text()).toBe('')
})
