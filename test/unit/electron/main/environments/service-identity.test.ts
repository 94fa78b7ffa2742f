import { type NetworkSettings, systemNetwork } from '@contract'
import { describe, expect, it } from 'vitest'
import {
  headersIdentity,
  routeIdentity,
  serviceIdentity,
} from '../../../../../electron/main/environments/model/service-identity'
import {
  belongsTo,
  storedService,
  targetAt,
  serviceTargetOf,
} from '../../../../../electron/main/stored/personal/stored-service'
import { environmentsLeading, type Leads } from '../../../../support/main/state'

describe('identities of services', () => {
  const target = {
    environmentId: 'one',
    baseUrl: 'https://deploy.example.com/api',
    headers: { 'X-Api-Key': 'a' },
  }
  const identity = (change: Partial<typeof target> = {}, salt = 'salt'): string =>
    serviceIdentity({ ...target, ...change }, salt)

  describe('serviceIdentity', () => {
    it('is the same for another environment and for renewed credentials', () => {
      expect(identity({ environmentId: 'two', headers: { 'X-Api-Key': 'b' } })).toBe(identity())
    })

    it('is the same for a tenant in another case', () => {
      const of = (tenant: string): string => identity({ headers: { 'X-Tenant-Id': tenant } as never })
      expect(of('AAAA0000-0000-4000-8000-000000000000')).toBe(of('aaaa0000-0000-4000-8000-000000000000'))
    })

    it.each([
      ['base URL', { baseUrl: 'https://deploy.example.com' }],
      ['tenant', { headers: { 'X-Api-Key': 'a', 'x-tenant-ID': 't' } }],
    ])('differs with another %s', (_what, change) => {
      expect(identity(change as Partial<typeof target>)).not.toBe(identity())
    })
  })

  describe('headersIdentity', () => {
    const identityOf = (headers: Record<string, string>, salt = 'salt', environmentId = 'one'): string =>
      headersIdentity({ environmentId, headers }, salt)

    it('is the same for the same headers, in any order and case of their names', () => {
      expect(identityOf({ 'X-Api-Key': 'a', Workspace: 'w' })).toBe(
        identityOf({ workspace: 'w', 'x-api-key': 'a' }),
      )
    })

    it.each<Record<string, string>>([
      { 'X-Api-Key': 'b' },
      { 'X-Api-Keys': 'a' },
      { 'X-Api-Key': 'a', Workspace: 'w' },
      {},
    ])('differs with others: %j', (headers) => {
      expect(identityOf(headers)).not.toBe(identityOf({ 'X-Api-Key': 'a' }))
    })
  })

  describe('routeIdentity', () => {
    const manual = { mode: 'manual', host: 'proxy.example.com', port: 8080, credentials: null } as const
    const identityOf = (change?: Partial<NetworkSettings>, salt = 'salt', environmentId = 'one'): string =>
      routeIdentity({ environmentId, network: change && { ...systemNetwork, ...change } }, salt)

    it("is the same for the same proxy, whatever its user, and the system's is the default", () => {
      expect(identityOf({})).toBe(identityOf())
      const credentials = { userName: 'u', password: 'p' }
      expect(identityOf({ proxy: { ...manual, host: 'Proxy.Example.com', credentials } })).toBe(
        identityOf({ proxy: manual }),
      )
    })

    it('differs with each other proxy and certificate rule', () => {
      const all = [
        identityOf(),
        identityOf({ proxy: { mode: 'none' } }),
        identityOf({ proxy: manual }),
        identityOf({ proxy: { ...manual, port: 8081 } }),
        identityOf({ proxy: { ...manual, host: 'other.example.com' } }),
        identityOf({ proxy: { mode: 'pac-url', url: 'http://a.example/' } }),
        identityOf({ proxy: { mode: 'pac-text', text: 'http://a.example/' } }),
        identityOf({ trust: { kind: 'authority', pem: 'a' } }),
        identityOf({ trust: { kind: 'authority', pem: 'b' } }),
      ]
      expect(new Set(all).size).toBe(all.length)
    })
  })
})

describe('the service that is stored with what the operator wrote', () => {
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
})
