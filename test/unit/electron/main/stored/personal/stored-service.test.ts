import { expect, it } from 'vitest'
import {
  belongsTo,
  storedService,
  targetAt,
  serviceTargetOf,
} from '../../../../../../electron/main/stored/personal/stored-service'
import { environmentsLeading, type Leads } from '../../../../../support/main/state'

const target = {
  environmentId: 'e',
  baseUrl: 'https://one.example',
  headers: { 'X-Api-Key': 'secret-key', 'X-Tenant-Id': 't' },
}

it('is the same for other credentials, and another one for another base URL, tenant or environment', () => {
  const stored = storedService(target)!
  expect(belongsTo(target)(stored)).toBe(true)
  expect(belongsTo(serviceTargetOf(target))(stored)).toBe(true)
  expect(belongsTo({ ...target, baseUrl: 'https://two.example' })(stored)).toBe(false)
  expect(belongsTo({ ...target, headers: { 'X-Tenant-Id': 'u' } })(stored)).toBe(false)
  expect(belongsTo({ ...target, environmentId: 'f' })(stored)).toBe(false)
})

it('has neither the base URL nor a header in it, and a salt of its own unless there is one', () => {
  const stored = storedService(target)!
  expect(JSON.stringify(stored)).not.toMatch(/one\.example|secret-key/)
  expect(storedService(target)!.service).not.toBe(stored.service)
  expect(storedService(target, stored)).toEqual(stored)
  expect(storedService({ ...target, environmentId: null })).toBeNull()
})

it('needs no credential of a target', () => {
  expect(serviceTargetOf(target).headers).toEqual({ 'X-Tenant-Id': 't' })
})

it('is where an environment leads, as long as that is the service that the page names', () => {
  const leads = new Map<string, Leads>([['e', target]])
  const { environments, serviceOf } = environmentsLeading(leads)
  const named = serviceOf('e')
  expect(targetAt(environments, 'e', named)).toEqual(serviceTargetOf(target))
  leads.set('e', { ...target, headers: { ...target.headers, 'X-Api-Key': 'renewed' } })
  expect(targetAt(environments, 'e', named)).toEqual(serviceTargetOf(target))
  leads.set('e', { ...target, baseUrl: 'https://two.example' })
  expect(targetAt(environments, 'e', named)).toBeNull()
  leads.delete('e')
  expect(targetAt(environments, 'e', named)).toBeNull()
})
