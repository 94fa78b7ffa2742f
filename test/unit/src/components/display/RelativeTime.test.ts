import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import RelativeTime from '@/components/display/RelativeTime.vue'

const at = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString()

it('shows a time to come as unknown, but for one by a service: a clock was ahead', () => {
  const text = (props: object): string => mount(RelativeTime, { props: { iso: at(30.5), ...props } }).text()
  expect(text({})).toBe('at an unknown time')
  expect(text({ short: true })).toBe('unknown')
  expect(text({ short: true, unknown: 'an unknown time' })).toBe('an unknown time')
  expect(text({ full: true })).toMatch(/ \(by this clock, still to come\)$/)
  expect(text({ iso: at(-30.5) })).toBe('30 days ago')
  expect(text({ byService: true })).toBe('in 30 days')
})
