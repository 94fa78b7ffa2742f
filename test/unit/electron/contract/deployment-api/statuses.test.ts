import { expect, it } from 'vitest'
import { isRollingOut } from '@contract/deployment-api/statuses'
import { summaryOf } from '../../../../support/builders/deployment-summary'

it.each([
  ['its latest revision is not active', { latest_revision_id: '2', active_revision_id: '1' }, true],
  ['it waits for its database', { status: 'AWAITING_DATABASE' }, true],
  ['its latest revision is active', { latest_revision_id: '2', active_revision_id: '2' }, false],
  ['it is about to be deleted', { status: 'AWAITING_DELETE', latest_revision_id: '2' }, false],
  ['it is about to be deleted for good', { status: 'AWAITING_FINAL_DELETE', latest_revision_id: '2' }, false],
  ['a service says that it is terminating', { status: 'Terminating', latest_revision_id: '2' }, false],
  ['its status is unknown', { status: 'PROGRESSING', latest_revision_id: '2' }, true],
  ['it is gone', { status: 'AWAITING_DATABASE', gone_at: '2026-11-24T00:00:00.000Z' }, false],
])('says whether a deployment is rolling out if %s', (_case, members, isSo) => {
  const row = summaryOf('1', { latest_revision_id: null, active_revision_id: null })
  expect(isRollingOut({ ...row, ...members })).toBe(isSo)
})
