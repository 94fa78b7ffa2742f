import type { NoticeEntry } from '@contract/cache'
import { describe, expect, it } from 'vitest'
import { notificationOf } from '../../../../../../electron/main/features/watches/notices'
import { entryText } from '@contract/cache/choices'

describe('notifications of the system', () => {
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
    const { title, body } = notification(
      [entry({ name: 'a'.repeat(1_000) }), entry({ name: '' }), entry()],
      7,
    )
    expect(title).toBe('10 changes in Staging')
    expect(body).toBe(`${'a'.repeat(40)}…, unnamed, agent and 7 more`)
  })
})

describe('the text of an entry', () => {
  const entry = (change: Partial<NoticeEntry>): NoticeEntry => ({
    deploymentId: 'a',
    name: 'agent',
    kind: 'changed',
    what: null,
    before: null,
    after: null,
    minutes: null,
    ...change,
  })

  it('says what happened, and never that something failed', () => {
    const texts = [
      entry({ what: 'status', before: 'READY', after: 'UNKNOWN' }),
      entry({ what: 'revision', before: 'r1', after: 'r2' }),
      entry({ what: 'active-revision', after: 'r2' }),
      entry({ what: 'runs', before: '1.0', after: '1.1' }),
      entry({ kind: 'active' }),
      entry({ kind: 'active', what: 'active-revision', after: 'r2' }),
      entry({ kind: 'stuck', minutes: 30 }),
      entry({ kind: 'gone' }),
      entry({ kind: 'appeared', after: 'All deployments' }),
      entry({ kind: 'appeared', what: 'back' }),
    ].map((one) => entryText(one, (status) => status.toLowerCase()))
    expect(texts).toEqual([
      'ready, now unknown',
      'New revision r2, not active yet',
      'Revision r2 is active',
      'Runs 1.1',
      'Active again',
      'Revision r2 is active',
      'Not active after 30 minutes',
      'Deleted: the service no longer has it',
      'New in All deployments',
      'The service has it again',
    ])
    expect(texts.join()).not.toMatch(/fail/i)
  })
})
