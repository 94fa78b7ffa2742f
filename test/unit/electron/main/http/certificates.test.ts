import { X509Certificate } from 'node:crypto'
import { describe, expect, it, vi, beforeAll, test } from 'vitest'
import { readAuthorities, checkChain, describeAll } from '../../../../../electron/main/http/certificates'
import {
  type Authority,
  derOf,
  type MadeCertificate,
  makeAuthority,
  makeLookAlikes,
  makeSelfSigned,
  pkcs7Of,
  yesterday,
} from '../../../../support/main/certificates'
import type { Certificate, Trust } from '@contract'
import type { Certificate as ElectronCertificate } from 'electron'
import { decide } from '../../../../../electron/main/http/trust'

describe('certificates', () => {
  const problem = (file: string | Buffer): string | null => {
    const read = readAuthorities(Buffer.from(file as string))
    return read.ok ? null : read.problem
  }

  const check = (
    { pem }: MadeCertificate,
    authority: Authority | Authority[],
    { host = 'localhost', others = [] as MadeCertificate[], now = new Date() } = {},
  ): string | null =>
    checkChain(
      { leaf: new X509Certificate(pem), others: others.map((other) => new X509Certificate(other.pem)), host },
      [authority].flat().map((one) => new X509Certificate(one.pem)),
      now,
    )

  const armoured = (label: string, bytes: Buffer): string =>
    `-----BEGIN ${label}-----\n${bytes.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`

  describe('a file with certificates of authorities', async () => {
    const root = await makeAuthority({ name: 'New root' })
    const between = await root.issueAuthority({ name: 'Between' })
    const old = await makeAuthority({ name: 'Old root', notAfter: yesterday() })
    const leaf = await root.issue()

    it.each<[string, string | Buffer, MadeCertificate[]]>([
      ['PEM', root.pem, [root]],
      ['PEM with text around it', `Subject: whatever\r\n${root.pem}\nnotes`, [root]],
      ['PEM with CRLF', root.pem.replaceAll('\n', '\r\n'), [root]],
      ['PEM with a byte order mark', `\ufeff${root.pem}`, [root]],
      ['PEM in UTF-16', Buffer.from(`\ufeff${root.pem}`, 'utf16le'), [root]],
      [
        'PEM with bag attributes',
        `Bag Attributes\n    friendlyName: ca\nsubject=/CN=a\nissuer=/CN=a\n${root.pem}`,
        [root],
      ],
      ['PEM with another label', armoured('X509 CERTIFICATE', derOf(root)), [root]],
      ['PEM without line breaks', root.pem.replace(/\n(?!-)/g, '').replace(/-----(?=M)/, '-----\n'), [root]],
      ['DER', derOf(root), [root]],
      ['base64 alone', derOf(root).toString('base64'), [root]],
      ['PKCS#7 in DER', pkcs7Of(root, between), [root, between]],
      ['PKCS#7 in PEM', armoured('PKCS7', pkcs7Of(root, between)), [root, between]],
      ['PKCS#7 with the label of a certificate', armoured('CERTIFICATE', pkcs7Of(root)), [root]],
      ['a root and an intermediate', between.pem + root.pem, [between, root]],
      ['an old and a new root', old.pem + root.pem, [root]],
      ['the chain of a service', leaf.pem + between.pem + root.pem, [between, root]],
      ['one twice', root.pem + root.pem, [root]],
    ])('is read: %s', (_name, file, expected) => {
      const read = readAuthorities(Buffer.from(file as string))
      if (!read.ok) throw new Error(read.problem)
      const wanted = expected.map(({ fingerprint }) => fingerprint).sort()
      expect(read.certificates.map(({ fingerprint }) => fingerprint).sort()).toEqual(wanted)
      // What is stored has no other text, and is read as the same.
      expect(readAuthorities(Buffer.from(read.pem))).toMatchObject({ ok: true, pem: read.pem })
      expect(describeAll(read.pem)).toEqual(read.certificates)
    })

    it.each<[string, string | Buffer, string]>([
      ['nothing', '', "isn't a certificate in PEM"],
      ['other bytes', Buffer.from([0x30, 0x82, 0xff]), "isn't a certificate in PEM"],
      ['a private key beside it', root.key + root.pem, 'private key'],
      ['a damaged certificate', root.pem.replace('MII', 'MIA'), 'damaged'],
      ["a service's certificate", leaf.pem, "isn't a CA certificate"],
      ['an expired authority', old.pem, 'expired'],
      ['a file that is too long', Buffer.alloc(1_000_000), 'too long'],
    ])('is refused: %s', (_name, file, words) => {
      expect(problem(file)).toContain(words)
    })

    it("is refused if it isn't an authority's, though self-signed", async () => {
      expect(problem((await makeAuthority({ isAuthority: false })).pem)).toContain("isn't a CA certificate")
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

    it('is refused after a few signatures, however many authorities were sent that may all have issued each other', async () => {
      const alike = await makeLookAlikes(10)
      const leaf = await alike[0]!.issue()
      const root = await makeAuthority()
      const verify = vi.spyOn(X509Certificate.prototype, 'verify')
      expect(check(leaf, root, { others: alike })).toContain("wasn't issued")
      expect(verify.mock.calls.length).toBeGreaterThan(5)
      expect(verify.mock.calls.length).toBeLessThanOrEqual(32)
      verify.mockRestore()
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

    it("is refused if it isn't for servers", async () => {
      const root = await makeAuthority()
      expect(check(await root.issue({ purposes: ['1.3.6.1.5.5.7.3.2'] }), root)).toContain(
        "isn't for servers",
      )
    })

    it('is accepted from any of several authorities, an intermediate one included', async () => {
      const [one, two] = [await makeAuthority(), await makeAuthority()]
      const between = await two.issueAuthority()
      expect(check(await two.issue(), [one, two])).toBeNull()
      expect(check(await between.issue(), [one, between]), 'it was not sent, but chosen').toBeNull()
      expect(check(await (await makeAuthority()).issue(), [one, two])).toContain("wasn't issued")
    })
  })
})

describe('trust', () => {
  const asChromium = -3
  const accept = 0
  const refuse = -2

  /** Chromium's errors, by their numbers in net_error_list.h. */
  const errors = {
    none: 0,
    otherName: -200,
    time: -201,
    unknownAuthority: -202,
    revoked: -206,
    weakKey: -211,
  }

  let authority: Authority
  let issued: MadeCertificate
  let selfSigned: MadeCertificate

  beforeAll(async () => {
    authority = await makeAuthority()
    issued = await authority.issue()
    selfSigned = await makeSelfSigned()
  })

  const certificateOf = ({ pem }: MadeCertificate): Certificate => describeAll(pem)[0]!
  const exactly = (made: MadeCertificate): Trust => ({ kind: 'exact', certificate: certificateOf(made) })
  const system: Trust = { kind: 'system' }

  /** Electron's request for a verdict; `by` are the certificates that were sent with it. */
  function shown(
    made: MadeCertificate,
    errorCode: number,
    hostname = 'localhost',
    by: MadeCertificate[] = [],
  ) {
    const chain = [made, ...by].map(({ pem }) => ({ data: pem }) as ElectronCertificate)
    chain.forEach((one, index) => (one.issuerCert = chain[index + 1] ?? one))
    return { hostname, certificate: chain[0]!, errorCode }
  }

  describe("with the system's trust", () => {
    test('Chromium decides, and a refusal says whether the operator may override it', () => {
      expect(decide(system, 'localhost', shown(issued, errors.none))).toEqual({
        verdict: asChromium,
        refusal: null,
      })
      for (const [errorCode, trustable] of [
        [errors.otherName, true],
        [errors.time, true],
        [errors.unknownAuthority, true],
        [errors.revoked, false],
        [errors.weakKey, false],
      ] as const) {
        const { verdict, refusal } = decide(system, 'localhost', shown(issued, errorCode))
        expect(verdict).toBe(asChromium)
        expect(refusal).toMatchObject({ host: 'localhost', reason: null, expected: null, trustable })
        expect(refusal?.certificate.fingerprint).toBe(issued.fingerprint)
      }
    })
  })

  describe('with one exact certificate', () => {
    test('it is accepted whatever is wrong with it, and every other one is refused, even a valid one', () => {
      for (const errorCode of Object.values(errors)) {
        const { verdict, refusal } = decide(exactly(selfSigned), 'localhost', shown(selfSigned, errorCode))
        expect([verdict, refusal]).toEqual([accept, null])
      }
      const other = decide(exactly(selfSigned), 'localhost', shown(issued, errors.none))
      expect(other.verdict).toBe(refuse)
      expect(other.refusal).toMatchObject({ expected: certificateOf(selfSigned), trustable: true })
      const revoked = decide(exactly(selfSigned), 'localhost', shown(issued, errors.revoked))
      expect([revoked.verdict, revoked.refusal?.trustable]).toEqual([refuse, false])
    })
  })

  describe('with a private authority', () => {
    const trusting = (): Trust => ({ kind: 'authority', pem: authority.pem })

    test('its certificates are accepted, also through intermediate authorities that were sent with them', async () => {
      const between = await authority.issueAuthority()
      const below = await between.issue()
      for (const errorCode of [errors.none, errors.otherName, errors.time, errors.unknownAuthority]) {
        expect(decide(trusting(), 'localhost', shown(issued, errorCode)).verdict).toBe(accept)
      }
      const unknown = errors.unknownAuthority
      expect(decide(trusting(), 'localhost', shown(below, unknown, 'localhost', [between])).verdict).toBe(
        accept,
      )
      expect(decide(trusting(), 'localhost', shown(below, unknown)).verdict).toBe(refuse)
      const nearer = await between.issueAuthority()
      const furtherBelow = await nearer.issue()
      const chain = shown(furtherBelow, unknown, 'localhost', [nearer, between])
      expect(decide(trusting(), 'localhost', chain).verdict).toBe(accept)
    })

    test("a certificate of another issuer is refused although the system trusts it, and can't be trusted", () => {
      const { verdict, refusal } = decide(trusting(), 'localhost', shown(selfSigned, errors.none))
      expect(verdict).toBe(refuse)
      expect(refusal).toMatchObject({ trustable: false, expected: null })
      expect(refusal?.reason).toContain("wasn't issued by this environment's private CA")
    })

    test('it overrides no error but an unknown authority, in particular not a revocation', () => {
      for (const errorCode of [errors.revoked, errors.weakKey]) {
        const { verdict, refusal } = decide(trusting(), 'localhost', shown(issued, errorCode))
        expect([verdict, refusal?.trustable]).toEqual([asChromium, false])
      }
    })

    test('name and time are checked although Chromium was overridden', async () => {
      const elsewhere = await authority.issue({ hosts: [{ type: 'dns', value: 'elsewhere.example' }] })
      const old = await authority.issue({ notAfter: yesterday() })
      const wrongName = decide(trusting(), 'localhost', shown(elsewhere, errors.otherName))
      expect([wrongName.verdict, wrongName.refusal?.reason]).toEqual([
        refuse,
        expect.stringContaining('host name'),
      ])
      const expired = decide(trusting(), 'localhost', shown(old, errors.time))
      expect([expired.verdict, expired.refusal?.reason]).toEqual([refuse, expect.stringContaining('expired')])
      // No operator may trust what Chromium rejects under the authority that they chose.
      expect([wrongName.refusal?.trustable, expired.refusal?.trustable]).toEqual([false, false])
    })
  })

  test('an unreadable certificate is refused if the environment has its own rule, and otherwise left to Chromium', () => {
    const unreadable = shown({ pem: 'no certificate', key: '', fingerprint: '' }, errors.none)
    expect(decide(exactly(issued), 'localhost', unreadable)).toEqual({ verdict: refuse, refusal: null })
    expect(decide(system, 'localhost', unreadable)).toEqual({ verdict: asChromium, refusal: null })
  })
})
