import { expect, it } from 'vitest'
import {
  transitionHash,
  transitionHashes,
} from '../../../../../../../electron/main/features/watches/rules/transition-hash'

it('what earlier versions told stays told', () => {
  const texts = Array.from({ length: 40 }, (_, index) => `r${index} stuck`)
  const hashes = texts.map(transitionHash)
  expect(new Set(hashes).size).toBe(40)
  expect(transitionHashes(texts)).toEqual(hashes.slice(10))
  expect(transitionHashes(hashes)).toEqual(hashes.slice(10))
})
