import { expect, it } from 'vitest'
import { wordSearch } from '@/domain/text/word-search'

it.each([
  ['', 'anything', true],
  ['  ', 'anything', true],
  ['prod eu', 'Acme EU production', true],
  ['PROD', 'production', true],
  ['KOLSÅ straße', 'kolsa\u030a HAUPTSTRASSE', true],
  ['prod us', 'Acme EU production', false],
])('%j finds %j: %s', (search, text, found) => expect(wordSearch(search)(text)).toBe(found))
