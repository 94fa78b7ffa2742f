import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import NicknamedId from '@/components/display/NicknamedId'

it('shows an identifier behind its nickname, each by itself, whatever its direction', () => {
  const shown = mount(NicknamedId, { props: { id: '10', nickname: 'פורג׳' } })
  expect(shown.text()).toBe('פורג׳ (10)')
  expect(shown.findAll('bdi').map((one) => one.text())).toEqual(['פורג׳', '10'])
})

it('shows an identifier without a nickname alone', () => {
  expect(mount(NicknamedId, { props: { id: '10', nickname: null } }).text()).toBe('10')
})
