import { expect, it } from 'vitest'
import { revisionLabel } from '@/format/deployment/revision'

it('says whether the latest revision is rolling out', () => {
  const labelOf = (latest: string | null, active: string | null) =>
    revisionLabel({ status: 'READY', latest_revision_id: latest, active_revision_id: active })
  expect(labelOf('abcdefghij', 'abcdefghij')).toMatchObject({ short: 'abcdefgh', rollingOut: false })
  expect(labelOf('abcdefghij', 'other')).toMatchObject({ rollingOut: true })
  expect(labelOf('abcdefghij', null)).toMatchObject({ rollingOut: true })
  expect(labelOf(null, null)).toMatchObject({ short: null, rollingOut: false })
})
