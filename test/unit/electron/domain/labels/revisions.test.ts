import { expect, it } from 'vitest'
import { shortRevisions } from '../../../../../electron/domain/labels/revisions'

it('shortens two revisions so that they differ if they do', () => {
  expect(shortRevisions('0123456789', '9876543210')).toEqual(['01234567', '98765432'])
  expect(
    shortRevisions('00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'),
  ).toEqual(['…00000001', '…00000002'])
  expect(shortRevisions('same-beginning-a-and-much-more', 'same-beginning-b-and-much-more')).toEqual([
    '…a-and-mu',
    '…b-and-mu',
  ])
  expect(shortRevisions('abcdefgh', 'abcdefghij')).toEqual(['…cdefgh', '…cdefghij'])
  expect(shortRevisions('0123456789', '0123456789')).toEqual(['01234567', '01234567'])
  expect(shortRevisions(null, '0123456789')).toEqual([null, '01234567'])
})
