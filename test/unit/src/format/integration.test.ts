import { expect, it } from 'vitest'
import { nicknameOf } from '@/format/integration'

const id = '0f8fad5b-d9cb-469f-a165-70867728950e'

it.each([
  [id, { [id]: 'Team forge' }, 'Team forge'],
  [` ${id.toUpperCase()}`, { [id]: 'Team forge' }, 'Team forge'],
  ['11111111-2222-4333-8444-555555555555', { [id]: 'Team forge' }, null],
  ['constructor', {}, null],
  [id, undefined, null],
])('the nickname of %j in %j is %j', (one, nicknames, nickname) => {
  expect(nicknameOf(one, nicknames)).toBe(nickname)
})
