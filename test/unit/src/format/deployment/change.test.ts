import { expect, it } from 'vitest'
import { describeChange } from '@/format/deployment/change'

it('says what changed, in words', () => {
  const change = { member: null, before: null, after: null }
  expect(describeChange({ ...change, kind: 'appeared', after: 'READY' })).toBe('New, Ready')
  expect(describeChange({ ...change, kind: 'gone', before: 'UNUSED' })).toBe('Gone, was Unused')
  expect(describeChange({ ...change, kind: 'back', after: 'PAUSED' })).toBe('Back, PAUSED')
  expect(describeChange({ ...change, kind: 'status', before: 'READY', after: 'UNUSED' })).toBe(
    'Ready → Unused',
  )
  expect(describeChange({ ...change, kind: 'latest-revision', before: '0123456789', after: null })).toBe(
    'Latest revision 01234567 → none',
  )
  const alike = {
    before: '00000000-0000-4000-8000-000000000001',
    after: '00000000-0000-4000-8000-000000000002',
  }
  expect(describeChange({ ...change, ...alike, kind: 'active-revision' })).toBe(
    'Active revision …00000001 → …00000002',
  )
  const long = { before: 'PAUSED_'.repeat(100), after: 'READY' }
  expect(describeChange({ ...change, ...long, kind: 'status' })).toMatch(/^PAUSED_.{60,90} → Ready$/)
  expect(describeChange({ ...change, kind: 'configuration', member: 'source_config.repo_url' })).toBe(
    'Repository URL changed',
  )
})
