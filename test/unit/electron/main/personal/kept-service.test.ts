import { expect, it } from 'vitest'
import {
  belongsTo,
  keptService,
  withoutCredentials,
} from '../../../../../electron/main/personal/kept-service'

const target = {
  environmentId: 'e',
  baseUrl: 'https://one.example',
  headers: { 'X-Api-Key': 'secret-key', 'X-Tenant-Id': 't' },
}

it('is the same for other credentials, and another one for another base URL, tenant or environment', () => {
  const kept = keptService(target)!
  expect(belongsTo(target)(kept)).toBe(true)
  expect(belongsTo(withoutCredentials(target))(kept)).toBe(true)
  expect(belongsTo({ ...target, baseUrl: 'https://two.example' })(kept)).toBe(false)
  expect(belongsTo({ ...target, headers: { 'X-Tenant-Id': 'u' } })(kept)).toBe(false)
  expect(belongsTo({ ...target, environmentId: 'f' })(kept)).toBe(false)
})

it('has neither the base URL nor a header in it, and a salt of its own unless there is one', () => {
  const kept = keptService(target)!
  expect(JSON.stringify(kept)).not.toMatch(/one\.example|secret-key/)
  expect(keptService(target)!.service).not.toBe(kept.service)
  expect(keptService(target, kept)).toEqual(kept)
  expect(keptService({ ...target, environmentId: null })).toBeNull()
})

it('needs no credential of a target', () => {
  expect(withoutCredentials(target).headers).toEqual({ 'X-Tenant-Id': 't' })
})
