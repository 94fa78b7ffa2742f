import { expect, it } from 'vitest'
import { statusLook } from '@/format/deployment/status'

it('shows a status that the interface does not name unchanged', () => {
  expect(statusLook('AWAITING_FINAL_DELETE').label).toBe('AWAITING_FINAL_DELETE')
  expect(statusLook('constructor').label).toBe('constructor')
  expect([statusLook('').label, statusLook(' ').label]).toEqual(['No status', 'No status'])
})
