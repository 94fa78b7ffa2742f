import { X509Certificate } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { readAuthority } from '../../../../../../electron/main/http/certificates/authority'
import { checkChain } from '../../../../../../electron/main/http/certificates/chain'
import { describePem } from '../../../../../../electron/main/http/certificates/describe'
import {
  type Authority,
  excludeDomains,
  type MadeCertificate,
  makeAuthority,
  makeLookAlikes,
  makeSelfSigned,
  permitDomain,
  unknownCritical,
  yesterday,
} from '../../../../../support/main/certificates'

const problem = (text: string): string | null => {
  const read = readAuthority(text)
  return read.ok ? null : read.problem
}

const check = (
  { pem }: MadeCertificate,
  authority: Authority,
  { host = 'localhost', others = [] as MadeCertificate[], now = new Date() } = {},
): string | null =>
  checkChain(
    { leaf: new X509Certificate(pem), others: others.map((other) => new X509Certificate(other.pem)), host },
    new X509Certificate(authority.pem),
    now,
  )

describe('the certificate of an authority', () => {
  it('is read from the text around it, and described', async () => {
    const authority = await makeAuthority({ name: 'Example root' })
    const read = readAuthority(`Subject: whatever\r\n${authority.pem}\n`)
    expect(read).toMatchObject({
      ok: true,
      certificate: { subject: "O=Slipway's tests, CN=Example root", fingerprint: authority.fingerprint },
    })
  })

  it("is refused if it isn't one, has a key, is damaged, is one of several, isn't an authority, or expired", async () => {
    const authority = await makeAuthority()
    const other = await makeAuthority()
    expect(problem('')).toContain("isn't a PEM certificate")
    expect(problem(authority.key + authority.pem)).toContain('private key')
    expect(problem(authority.pem.replace('MII', 'MIA'))).toContain('damaged')
    expect(problem(authority.pem + other.pem)).toContain('2 certificates')
    expect(problem((await authority.issue()).pem)).toContain("isn't a CA certificate")
    expect(problem((await makeAuthority({ isAuthority: false })).pem)).toContain("isn't a CA certificate")
    expect(problem((await makeAuthority({ notAfter: yesterday() })).pem)).toContain('expired')
  })

  it('is shown without characters that change the text around it', async () => {
    const made = await makeSelfSigned({ name: 'pay\u202epal\u200b\u0007' })
    expect(describePem(made.pem)?.subject).toContain('CN=paypal')
    expect(describePem('no certificate')).toBeNull()
  })
})

describe('the certificate of a service', () => {
  it('is accepted from the authority itself, and through intermediate authorities that were sent with it', async () => {
    const root = await makeAuthority({ pathLength: 2 })
    const between = await root.issueAuthority({ pathLength: 1 })
    const below = await between.issueAuthority({ pathLength: 0 })
    expect(check(await root.issue(), root)).toBeNull()
    expect(check(await root.issue(), root, { host: '127.0.0.1' })).toBeNull()
    const leaf = await below.issue()
    expect(check(leaf, root, { others: [between, below] })).toBeNull()
    expect(check(leaf, root, { others: [below] }), 'a link is missing').toContain("wasn't issued")
  })

  it('is refused from another authority, even one with the same name', async () => {
    const root = await makeAuthority()
    const sameName = await makeAuthority()
    expect(check(await sameName.issue(), root)).toContain("wasn't issued")
    expect(check(await makeSelfSigned(), root)).toContain("wasn't issued")
  })

  it("is refused if an issuer isn't an authority", async () => {
    const root = await makeAuthority()
    const service = await root.issueAuthority({ isAuthority: false })
    expect(check(await service.issue(), root, { others: [service] })).toContain("wasn't issued")
  })

  it('is refused below an authority that may have none below it', async () => {
    const root = await makeAuthority({ pathLength: 0 })
    const between = await root.issueAuthority()
    expect(check(await between.issue(), root, { others: [between] })).toContain('so many authorities')
  })

  it.each([
    ['localhost', null],
    ['127.0.0.1', null],
    ['127.0.0.2', "isn't for the host name"],
    ['Service', "isn't for the host name"],
    ['localhost.example.com', "isn't for the host name"],
  ])('is for the host %s by its subjectAltName: %j', async (host, words) => {
    const root = await makeAuthority()
    const found = check(await root.issue({ name: 'Service' }), root, { host })
    if (words === null) expect(found).toBeNull()
    else expect(found).toContain(words)
  })

  it('may have a wildcard for one label', async () => {
    const root = await makeAuthority()
    const leaf = await root.issue({ hosts: [{ type: 'dns', value: '*.example.com' }] })
    expect(check(leaf, root, { host: 'deploy.example.com' })).toBeNull()
    expect(check(leaf, root, { host: 'a.deploy.example.com' })).toContain("isn't for the host name")
    expect(check(leaf, root, { host: 'example.com' })).toContain("isn't for the host name")
  })

  it('is refused before and after its validity, and after that of its authority', async () => {
    const root = await makeAuthority()
    const year = 365 * 24 * 60 * 60 * 1000
    expect(check(await root.issue({ notAfter: yesterday() }), root)).toContain('has expired')
    const leaf = await root.issue({ notAfter: new Date(Date.now() + 2 * year) })
    expect(check(leaf, root, { now: new Date(Date.now() - year) })).toContain("isn't valid yet")
    expect(check(leaf, root, { now: new Date(Date.now() + year) })).toContain('CA has expired')
  })

  it("is refused if it isn't for servers, or has an unknown critical extension", async () => {
    const root = await makeAuthority()
    expect(check(await root.issue({ purposes: ['1.3.6.1.5.5.7.3.2'] }), root)).toContain("isn't for servers")
    expect(check(await root.issue({ extensions: [unknownCritical()] }), root)).toContain("doesn't know")
  })

  it('is limited to the names that its authority may issue for', async () => {
    const root = await makeAuthority({ extensions: [permitDomain('example.com')] })
    const of = (value: string) => root.issue({ hosts: [{ type: 'dns', value }] })
    expect(check(await of('deploy.example.com'), root, { host: 'deploy.example.com' })).toBeNull()
    for (const host of ['deploy.example.org', 'evilexample.com']) {
      expect(check(await of(host), root, { host })).toContain('may not issue')
    }
  })
})

describe('a chain made to be slow to check', () => {
  afterEach(() => vi.restoreAllMocks())

  /** Counts the signatures that are checked from now on. */
  const countSignatures = () => vi.spyOn(X509Certificate.prototype, 'verify')

  it('is checked once for each of ten authorities with one name and keyand refused if they lead nowhere', async () => {
    const root = await makeAuthority()
    const alike = await makeLookAlikes(10)
    const leaf = await alike[0]!.issue()
    const signatures = countSignatures()
    expect(check(leaf, root, { others: alike })).toContain("wasn't issued")
    expect(signatures.mock.calls.length).toBeLessThanOrEqual(32)
  })

  it('has a limited number of signatures checked if ten authorities share a name but not a key', async () => {
    const root = await makeAuthority({ name: 'Same' })
    const alike = await Promise.all(Array.from({ length: 10 }, () => makeAuthority({ name: 'Same' })))
    const below = await Promise.all(alike.map((one) => one.issueAuthority({ name: 'Same' })))
    const leaf = await below[0]!.issue()
    const signatures = countSignatures()
    expect(check(leaf, root, { others: [...alike.slice(1, 5), ...below.slice(0, 5)] })).toContain(
      "wasn't issued",
    )
    expect(signatures.mock.calls.length).toBeGreaterThan(8)
    // A signature that is no longer checked counts as wrong.
    expect(signatures.mock.calls.length).toBeLessThanOrEqual(32)
  })

  it('is accepted through authorities that signed each other', async () => {
    const root = await makeAuthority()
    const one = await makeAuthority({ name: 'One' })
    const two = await makeAuthority({ name: 'Two' })
    const oneByTwo = await two.issueAuthority({ name: 'One', keys: one.keys })
    const twoByOne = await one.issueAuthority({ name: 'Two', keys: two.keys })
    const twoByRoot = await root.issueAuthority({ name: 'Two', keys: two.keys })
    const leaf = await one.issue()
    const circle = [one, oneByTwo, two, twoByOne]
    const signatures = countSignatures()
    expect(check(leaf, root, { others: circle })).toContain("wasn't issued")
    for (const others of [
      [...circle, twoByRoot],
      [twoByRoot, ...circle],
    ]) {
      expect(check(leaf, root, { others })).toBeNull()
    }
    expect(signatures.mock.calls.length).toBeLessThanOrEqual(3 * 32)
  })

  it("doesn't have thousands of names compared with thousands of constraints", async () => {
    const root = await makeAuthority({ extensions: [excludeDomains(3_000)] })
    const hosts = Array.from({ length: 3_000 }, (_, index) => ({
      type: 'dns' as const,
      value: `${index}.example`,
    }))
    expect(check(await root.issue({ hosts }), root, { host: '1.example' })).toContain('too many rules')
    expect(check(await root.issue({ hosts: hosts.slice(0, 3) }), root, { host: '1.example' })).toBeNull()
    const free = await makeAuthority()
    expect(check(await free.issue({ hosts }), free, { host: '1.example' })).toBeNull()
  })

  it('is refused if it has an extension twice', async () => {
    const root = await makeAuthority()
    const twice = await root.issue({ extensions: [permitDomain('example.com'), permitDomain('localhost')] })
    expect(check(twice, root)).toContain("can't be read")
  })
})
