import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import RelativeTime from '@/components/display/RelativeTime.vue'

const at = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString()

it('shows no time to come of what is past: a clock was ahead', () => {
  const text = (props: object): string => mount(RelativeTime, { props: { iso: at(30.5), ...props } }).text()
  expect(text({})).toBe('in 30 days')
  expect(text({ past: true })).toBe('at an unknown time')
  expect(text({ past: true, short: true })).toBe('unknown')
  expect(text({ past: true, full: true })).toMatch(/ \(by this clock, still to come\)$/)
  expect(text({ past: true, iso: at(-30.5) })).toBe('30 days ago')
})
