import { type NetworkSettings, systemNetwork } from '@contract'
import { describe, expect, it } from 'vitest'
import {
  accountIdentity,
  headersIdentity,
  routeIdentity,
  serviceIdentity,
} from '../../../../../../electron/main/environments/model/service-identity'

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

  it("can't be compared or recognised without its salt", () => {
    expect(identity({}, 'other')).not.toBe(identity())
  })

  it("of a built-in service doesn't depend on the port of this start", () => {
    const builtIn = { environmentId: 'built-in-cloud', headers: { 'X-Api-Key': 'k' } }
    expect(identity({ ...builtIn, baseUrl: 'http://127.0.0.1:1' })).toBe(
      identity({ ...builtIn, baseUrl: 'http://127.0.0.1:2', headers: { 'X-Api-Key': 'l' } }),
    )
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

  it("can't be compared or recognised without its salt", () => {
    expect(identityOf({ 'X-Api-Key': 'a' }, 'other')).not.toBe(identityOf({ 'X-Api-Key': 'a' }))
  })

  it("of a built-in service doesn't depend on the key of this start", () => {
    expect(identityOf({ 'X-Api-Key': 'a' }, 'salt', 'built-in-cloud')).toBe(
      identityOf({ 'X-Api-Key': 'b' }, 'salt', 'built-in-cloud'),
    )
  })
})

describe('accountIdentity', () => {
  const of = (change: Partial<typeof target & { network: NetworkSettings }> = {}): string =>
    accountIdentity({ ...target, ...change }, 'salt')

  it("differs with another service and with other headers there, and from the service's own identity", () => {
    const others = [
      of({ baseUrl: 'https://two.example.com' }),
      of({ headers: { 'X-Api-Key': 'b' } }),
      identity(),
    ]
    expect(new Set([of(), ...others]).size).toBe(4)
  })

  it('differs with another route, and not with the user of the proxy', () => {
    const proxy = { mode: 'manual', host: 'proxy.example.com', port: 8080, credentials: null } as const
    const through = (more: Partial<NetworkSettings>): string => of({ network: { ...systemNetwork, ...more } })
    const others = [through({ proxy }), through({ trust: { kind: 'authority', pem: 'a' } })]
    expect(new Set([of(), ...others]).size).toBe(3)
    const credentials = { userName: 'u', password: 'p' }
    expect(through({ proxy: { ...proxy, credentials } })).toBe(others[0])
  })

  it('is the same in another environment', () => {
    expect(of({ environmentId: 'two' })).toBe(of())
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

  it("can't be compared or recognised without its salt", () => {
    expect(identityOf({}, 'other')).not.toBe(identityOf())
  })

  it('of a built-in service is its own', () => {
    expect(identityOf({ proxy: manual }, 'salt', 'built-in-cloud')).toBe(
      identityOf({}, 'salt', 'built-in-cloud'),
    )
  })
})
