import { beforeEach, expect, it, vi } from 'vitest'
import { useTemplatesStore } from '@/stores/creation/templates'
import { begun, inputs, setUpStores } from '../../../../support/page/draft-stores'
import { settled } from '../../../../support/page/fake-bridge'

vi.mock('@/api', () => ({ call: vi.fn(), on: vi.fn() }))

beforeEach(setUpStores)

it('a template has neither name nor secret values, and drafts can begin from it', async () => {
  const { store, form, entry } = begun()
  const templates = useTemplatesStore()
  await settled()
  expect(await templates.save(form, 'Agents', entry.draft)).toBe(null)
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
  await templates.rename(form, form.templates[0]!, 'Renamed')
  expect(form.templates.map(({ name }) => name)).toEqual(['Renamed'])
  await templates.remove(form, form.templates[0]!)
  expect(form.templates).toEqual([])
})
