import { isEmptyAnnotation } from '@contract/app/personal-values'
import { expect, it } from 'vitest'

it('is empty without a favourite, labels and a note, whatever the name', () => {
  const empty = { deploymentId: 'd', name: 'agent', favourite: false, labels: [], note: '' }
  expect(isEmptyAnnotation(empty)).toBe(true)
  expect(isEmptyAnnotation({ ...empty, favourite: true })).toBe(false)
  expect(isEmptyAnnotation({ ...empty, labels: ['mine'] })).toBe(false)
  expect(isEmptyAnnotation({ ...empty, note: ' ' })).toBe(false)
})
