import type { NoticeEntry } from '@contract/cache'
import { expect, it } from 'vitest'
import { notificationOf } from '../../../../../../electron/main/features/watches/notices'

const entry = (more: Partial<NoticeEntry> = {}): NoticeEntry => ({
  deploymentId: '1',
  name: 'agent',
  kind: 'changed',
  what: 'runs',
  before: null,
  after: 'v1',
  minutes: null,
  ...more,
})
const notification = (entries: NoticeEntry[], more = 0) =>
  notificationOf({ kind: 'changes', entries, more }, 'Staging')

it('names its environment before any text of the service, which can neither cut it off nor pose as another', () => {
  const name = '3 changes in Production'
  const { title, body } = notification([entry({ name, after: `v1 (Production)${' '.repeat(500)}` })])
  expect(title).toBe('Staging')
  expect(body).toMatch(/^3 changes in Production: Runs v1 \(Production\)/)
})

it('names a deployment whose name is blank or long, and how many more there are', () => {
  expect(notification([entry({ name: ' ' })]).body).toMatch(/^unnamed: /)
  const { title, body } = notification([entry({ name: 'a'.repeat(1_000) }), entry({ name: '' }), entry()], 7)
  expect(title).toBe('10 changes in Staging')
  expect(body).toBe(`${'a'.repeat(40)}…, unnamed, agent and 7 more`)
})
