import { expect, it } from 'vitest'
import { sectionOf, sectionQuery, sections } from '@/screens/deployment/section-query'

it('reads every section from the URL that it is written to', () => {
  for (const { id } of sections) expect(sectionOf(sectionQuery(id).section)).toBe(id)
  expect(sectionQuery('overview')).toEqual({})
})

it.each([undefined, null, 'constructor', ['json', 'history'], ''])(
  'shows the first section for the URL with %s',
  (named) => expect(sectionOf(named)).toBe('overview'),
)
