import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import NicknamedId from '@/components/display/NicknamedId'

it('shows an identifier after its nickname, each with its own text direction', () => {
  const shown = mount(NicknamedId, { props: { id: '10', nickname: 'פורג׳' } })
  expect(shown.text()).toBe('פורג׳ (10)')
  expect(shown.findAll('bdi').map((one) => one.text())).toEqual(['פורג׳', '10'])
})

it('shows only the identifier if it has no nickname', () => {
  expect(mount(NicknamedId, { props: { id: '10', nickname: null } }).text()).toBe('10')
})
