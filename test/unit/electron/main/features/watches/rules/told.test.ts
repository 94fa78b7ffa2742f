import { expect, it } from 'vitest'
import { toldHash, toldOf } from '../../../../../../../electron/main/features/watches/rules/told'

it('what earlier versions told stays told', () => {
  const texts = Array.from({ length: 40 }, (_, index) => `r${index} stuck`)
  const hashes = texts.map(toldHash)
  expect(new Set(hashes).size).toBe(40)
  expect(toldOf(texts)).toEqual(hashes.slice(10))
  expect(toldOf(hashes)).toEqual(hashes.slice(10))
})
