import { expect, it } from 'vitest'
import { matches } from '@/features/deployment/sections/log-lines'

it('a search finds its text as it is written, in any case and form', () => {
  const found = (search: string, message: string) =>
    matches({ search, level: null, since: null }, 0)!({ key: '', at: null, level: null, message })
  expect(found('a.b (', 'see A.B (1)')).toBe(true)
  expect(found('a.b (', 'see axb (1)')).toBe(false)
  expect(found('grosse', 'Die GROßE Lücke')).toBe(true)
  expect(found('lücke', 'Die große LU\u0308CKE')).toBe(true)
  expect(found('lücke', 'lucke')).toBe(false)
})
