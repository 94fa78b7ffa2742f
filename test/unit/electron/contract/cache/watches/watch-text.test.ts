import type { NoticeEntry } from '@contract/cache'
import { entryText } from '@contract/cache/choices'
import { expect, it } from 'vitest'

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
