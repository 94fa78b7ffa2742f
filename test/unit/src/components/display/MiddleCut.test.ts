import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import MiddleCut from '@/components/display/MiddleCut'

const parts = (text: string): string[] => {
  const cut = mount(MiddleCut, { props: { text } })
  expect(cut.text()).toBe(cut.attributes('title'))
  return cut.findAll('span').map((part) => part.text())
}

it('keeps both the end and the beginning of a long name, and cuts only simple ones', () => {
  expect(parts('customer-portal-assistant-eu')).toEqual(['customer-portal-', 'assistant-eu'])
  expect(parts('support-production')).toEqual(['support-production'])
  expect(parts(`שלום ${'א'.repeat(40)}`)).toHaveLength(1)
  expect(parts(`deployment-\u202e-of-another-environment`)).toEqual([
    'deployment-⟨U+202E⟩-of-another-environment',
  ])
})
