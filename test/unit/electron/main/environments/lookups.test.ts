import { expect, it } from 'vitest'
import { existsIn, serviceIn } from '../../../../../electron/main/environments/lookups'
import { stateOf } from '../../../../support/page/fake-bridge'

it('finds the current environments, not those when it was created', () => {
  let now = stateOf('a')
  const environments = { state: () => now }
  const [exists, serviceOf] = [existsIn(environments), serviceIn(environments)]
  expect([exists('a'), exists('b'), serviceOf('a'), serviceOf('b')]).toEqual([true, false, 'a', null])
  now = stateOf('b')
  expect([exists('a'), exists('b'), serviceOf('a'), serviceOf('b')]).toEqual([false, true, null, 'b'])
})
