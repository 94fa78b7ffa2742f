import { describe, expect, it } from 'vitest'
import { annotatedService, isEmptyAnnotation } from '@contract/app/personal-values'
import { accountIdentity } from '../../../../../electron/main/environments/known'

describe('the service of an annotation', () => {
  const of = (baseUrl: string, headers: Record<string, string>): string =>
    annotatedService(accountIdentity({ environmentId: 'e', baseUrl, headers }))

  it('the same service may have another key; another base URL or tenant is another service', () => {
    const one = of('https://one.example', { 'X-Api-Key': 'k', 'X-Tenant-Id': 't' })
    expect(of('https://one.example', { 'X-Api-Key': 'new', 'x-tenant-id': 'T' })).toBe(one)
    expect(of('https://two.example', { 'X-Api-Key': 'k', 'X-Tenant-Id': 't' })).not.toBe(one)
    expect(of('https://one.example', { 'X-Api-Key': 'k', 'X-Tenant-Id': 'u' })).not.toBe(one)
    expect(annotatedService('built-in')).toBe('built-in')
  })
})

describe('an annotation', () => {
  it('is empty without a favourite, labels and a note, whatever the name', () => {
    const empty = { deploymentId: 'd', name: 'agent', favourite: false, labels: [], note: '' }
    expect(isEmptyAnnotation(empty)).toBe(true)
    expect(isEmptyAnnotation({ ...empty, favourite: true })).toBe(false)
    expect(isEmptyAnnotation({ ...empty, labels: ['mine'] })).toBe(false)
    expect(isEmptyAnnotation({ ...empty, note: ' ' })).toBe(false)
  })
})
