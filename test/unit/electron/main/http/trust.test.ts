import type { Certificate, Trust } from '@contract'
import type { Certificate as ElectronCertificate } from 'electron'
import { beforeAll, describe, expect, test } from 'vitest'
import { describeAll } from '../../../../../electron/main/http/certificates'
import { decide } from '../../../../../electron/main/http/trust'
import {
  type Authority,
  type MadeCertificate,
  makeAuthority,
  makeSelfSigned,
  yesterday,
} from '../../../../support/main/certificates'

const asChromium = -3
const accept = 0
const refuse = -2

/** Chromium's errors, by their numbers in net_error_list.h. */
const errors = { none: 0, otherName: -200, time: -201, unknownAuthority: -202, revoked: -206, weakKey: -211 }

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
function shown(made: MadeCertificate, errorCode: number, hostname = 'localhost', by: MadeCertificate[] = []) {
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
