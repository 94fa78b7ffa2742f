import { type NetworkSettings, systemNetwork } from '@contract'
import { describe, expect, it } from 'vitest'
import { accountIdentity, serviceIdentity } from '../../../../../electron/main/environments/known'

describe('identities of services', () => {
  const target = {
    environmentId: 'one',
    baseUrl: 'https://deploy.example.com/api',
    headers: { 'X-Api-Key': 'a' },
  }
  const identity = (change: Partial<typeof target> = {}): string => serviceIdentity({ ...target, ...change })

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

  describe('accountIdentity: headers', () => {
    const identityOf = (headers: Record<string, string>): string => accountIdentity({ ...target, headers })

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

  describe('accountIdentity: route', () => {
    const manual = { mode: 'manual', host: 'proxy.example.com', port: 8080, credentials: null } as const
    const identityOf = (change?: Partial<NetworkSettings>): string =>
      accountIdentity({ ...target, network: change && { ...systemNetwork, ...change } })

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
