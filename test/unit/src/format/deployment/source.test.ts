import { expect, it } from 'vitest'
import { sourceLabel } from '@/format/deployment/source'

it('labels a source, and shows an unknown one as the service names it', () => {
  expect(['repohost', 'of_tomorrow', 'constructor'].map(sourceLabel)).toEqual([
    'Repository',
    'of_tomorrow',
    'constructor',
  ])
})
