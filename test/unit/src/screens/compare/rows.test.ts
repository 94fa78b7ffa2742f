import { compare } from '@domain/compare/compare'
import { readSide } from '@domain/compare/side'
import { expect, it } from 'vitest'
import { countsOf, rowsOf, shownFields } from '@/screens/compare/rows'

const side = (document: object) => readSide(document, { kind: 'answer', environmentId: 'a' })!
const fields = compare(
  side({ id: '1', name: 'one', source: 'repohost', status: 'READY', secrets: [{ name: 'KEY' }] }),
  side({ id: '2', name: 'two', source: 'repohost', status: 'READY', secrets: [] }),
)

const labels = (onlyDifferences: boolean, everything: boolean) =>
  rowsOf(shownFields(fields, { onlyDifferences, everything })).map((row) =>
    row.kind === 'group' ? row.label.toUpperCase() : row.field.labels.join(),
  )

it('puts the shown fields under the headings of their groups', () => {
  expect(labels(true, false)).toEqual(['IDENTITY', 'Name', 'SECRETS', 'Secret KEY'])
  expect(labels(false, false)).toEqual([
    ...['IDENTITY', 'Name', 'SOURCE', 'Source', 'SECRETS', 'Secret KEY', 'BOOKKEEPING', 'Status'],
  ])
  expect(labels(true, true)).toEqual(['IDENTITY', 'Name', 'SECRETS', 'Secret KEY', 'BOOKKEEPING', 'ID'])
})

it('counts the outcomes', () => {
  expect(countsOf(fields)).toEqual(['2 differ', '1 only left', '2 same'])
  expect(countsOf(fields.slice(0, 1))).toEqual(['1 differs'])
})
