import { expect, it } from 'vitest'
import { whyCached } from '@/format/why-cached'

it('says whether the service is unreachable or no longer has the deployment', () => {
  expect(whyCached({ goneAt: '2026-11-22T00:00:00Z' })).toBe("the service can't be reached")
  expect(whyCached({ goneAt: null, missingAt: '2026-11-23T12:00:00Z' })).toBe(
    'the service has no deployment with this identifier',
  )
})
