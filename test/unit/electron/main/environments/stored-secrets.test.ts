import type { Certificate, EnvironmentInput, ProxyInput, Trust } from '@contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { describeAll } from '../../../../../electron/main/http/certificates'
import type { Question } from '../../../../../electron/main/window/questions'
import type { createRefusals } from '../../../../../electron/main/http/trust'
import { makeAuthority, makeSelfSigned } from '../../../../support/main/certificates'
import { draft, failureOf, open, valueOf } from '../../../../support/main/environments'

const origin = 'https://deploy.example.com'
const system: Trust = { kind: 'system' }

let pem: string
let otherPem: string
let certificate: Certificate
let otherCertificate: Certificate

beforeAll(async () => {
  pem = (await makeAuthority()).pem
  otherPem = (await makeAuthority()).pem
  certificate = describeAll((await makeSelfSigned()).pem)[0]!
  otherCertificate = describeAll((await makeSelfSigned()).pem)[0]!
})

const secrets = [
  { name: 'X-Api-Key', value: 'secret' },
  { name: 'X-Tenant-Id', value: 'tenant-one' },
]
const unchanged = secrets.map(({ name }) => ({ name, value: null }))

const manual = (
  more: { host?: string; port?: number; userName?: string; password?: string | null } = {},
): ProxyInput => {
  const { host = 'proxy.example.com', port = 3128, userName = 'ann', password = 'proxy secret' } = more
  return { mode: 'manual', host, port, credentials: { userName, password } }
}
const script = (more = ''): ProxyInput => ({ mode: 'pac-text', text: `function FindProxyForURL() {${more}}` })

/** Environments with a stored one whose headers are secrets. */
async function stored(changes: Partial<EnvironmentInput> = {}, trust: Trust = system) {
  const opened = open()
  const { environments, refusals } = opened
  const refusalId =
    trust.kind === 'exact'
      ? refusals.record({ environmentId: null, origin, trust: system, certificate: trust.certificate })
      : null
  const input = trust.kind === 'exact' ? { kind: trust.kind, refusalId } : trust
  const saved = await environments.save(draft({ headers: secrets, trust: input, ...changes }))
  return { ...opened, id: valueOf(saved).id }
}

/** Whether the stored header values are required again, by a check and by a save. Nothing is sent then. */
async function askedAgain(
  { environments, http, id }: Awaited<ReturnType<typeof stored>>,
  changes: Partial<EnvironmentInput>,
): Promise<boolean> {
  const input = draft({ id, headers: unchanged, ...changes })
  http.requests.length = 0
  const outcomes = [await environments.check(input), await environments.save(input)]
  expect(outcomes[0]?.ok, 'checking and saving agree').toBe(outcomes[1]?.ok)
  if (outcomes[0]?.ok) {
    expect(Object.values(http.requests[0]?.target.headers ?? {})).toContain('secret')
    return false
  }
  for (const outcome of outcomes) {
    expect(failureOf<unknown>(outcome)).toMatchObject({
      code: 'invalid-input',
      issues: [
        {
          path: ['headers', 0, 'value'],
          message: expect.stringMatching(/^Enter the value again: /) as string,
        },
      ],
    })
  }
  expect(http.requests).toEqual([])
  return true
}

describe('a stored header value', () => {
  it.each<[string, Partial<EnvironmentInput>, Partial<EnvironmentInput>, boolean]>([
    ['nothing changed', {}, {}, false],
    ['another path of the same origin', {}, { baseUrl: `${origin}/other` }, false],
    ['the default port written out', {}, { baseUrl: `${origin}:443` }, false],
    ['the host in other case', {}, { baseUrl: 'HTTPS://Deploy.Example.COM/' }, false],
    ['another name, colour and mode', {}, { name: 'Other', colour: 'teal', mode: 'self-hosted' }, false],
    ['the header in other case', {}, { headers: [{ name: 'x-API-key', value: null }, unchanged[1]!] }, false],
    ['plain http', {}, { baseUrl: 'http://deploy.example.com' }, true],
    ['plain http on the port of https', {}, { baseUrl: 'http://deploy.example.com:443' }, true],
    ['another port', {}, { baseUrl: `${origin}:8443` }, true],
    ['another host', {}, { baseUrl: 'https://evil.example' }, true],
    ['a host with a dot at its end', {}, { baseUrl: 'https://deploy.example.com./' }, true],
    ['a host that looks alike', {}, { baseUrl: 'https://deploy.exаmple.com' }, true],
    [
      'an address instead of its longer form',
      { baseUrl: 'http://[::1]:80' },
      { baseUrl: 'http://[0:0::1]' },
      false,
    ],
    ['another address', { baseUrl: 'http://[::1]:80' }, { baseUrl: 'http://127.0.0.1' }, true],
    ['a proxy instead of the system', {}, { proxy: manual() }, true],
    ['no proxy instead of the system', {}, { proxy: { mode: 'none' } }, true],
    ['the system instead of no proxy', { proxy: { mode: 'none' } }, { proxy: { mode: 'system' } }, true],
    ['the same proxy', { proxy: manual() }, { proxy: manual({ password: null }) }, false],
    [
      'the same proxy in other case',
      { proxy: manual() },
      { proxy: manual({ host: 'Proxy.Example.com', password: null }) },
      false,
    ],
    [
      'the same proxy without signing in',
      { proxy: manual() },
      { proxy: { mode: 'manual', host: 'proxy.example.com', port: 3128, credentials: null } },
      false,
    ],
    ['another proxy', { proxy: manual() }, { proxy: manual({ host: 'evil.example' }) }, true],
    ['another port of the proxy', { proxy: manual() }, { proxy: manual({ port: 3129 }) }, true],
    [
      'another PAC address',
      { proxy: { mode: 'pac-url', url: 'https://a.example/1.pac' } },
      { proxy: { mode: 'pac-url', url: 'https://a.example/2.pac' } },
      true,
    ],
    ['another PAC script', { proxy: script() }, { proxy: script('return "PROXY evil.example:1"') }, true],
    ['the same PAC script', { proxy: script() }, { proxy: script() }, false],
    [
      'another tenant',
      {},
      {
        headers: [
          { name: 'X-Api-Key', value: null },
          { name: 'x-tenant-id', value: 'two' },
        ],
      },
      true,
    ],
    ['no tenant', {}, { headers: [{ name: 'X-Api-Key', value: null }] }, true],
    [
      'the same tenant, entered',
      {},
      {
        headers: [
          { name: 'X-Api-Key', value: null },
          { name: 'x-tenant-id', value: 'tenant-one' },
        ],
      },
      false,
    ],
  ])('with %s', async (_what, before, changes, again) => {
    const environment = await stored(before)
    const same = { baseUrl: before.baseUrl ?? origin, proxy: before.proxy ?? { mode: 'system' as const } }
    const { headers = unchanged } = changes
    if (again && headers.length === 2 && headers[1]?.value === null) {
      // The tenant's own value is stored too.
      const input = draft({ id: environment.id, headers: unchanged, ...same, ...changes })
      for (const outcome of [
        await environment.environments.check(input),
        await environment.environments.save(input),
      ]) {
        expect(failureOf<unknown>(outcome).issues.map(({ path }) => path.join('.'))).toEqual([
          'headers.0.value',
          'headers.1.value',
        ])
      }
      expect(environment.http.requests).toEqual([])
    } else {
      expect(await askedAgain(environment, { ...same, ...changes })).toBe(again)
    }
  })

  it('is used under the certificate rule it was entered for and under no other, not even a stricter one', async () => {
    const authority = (text: string): Trust => ({ kind: 'authority', pem: text })
    const exactly = (one: Certificate): Trust => ({ kind: 'exact', certificate: one })
    const rules = [
      system,
      authority(pem),
      authority(otherPem),
      exactly(certificate),
      exactly(otherCertificate),
    ]
    for (const before of rules) {
      for (const after of rules) {
        const environment = await stored({ headers: secrets.slice(0, 1) }, before)
        const refusalId =
          after.kind === 'exact' && after !== before
            ? environment.refusals.record({
                environmentId: null,
                origin,
                trust: before,
                certificate: after.certificate,
              })
            : null
        const trust = after.kind === 'exact' ? { kind: after.kind, refusalId } : after
        const headers = unchanged.slice(0, 1)
        expect(await askedAgain(environment, { trust, headers }), `${before.kind} to ${after.kind}`).toBe(
          before !== after,
        )
      }
    }
  })

  it('belongs to its environment and its name: not to a new one, another one or another header', async () => {
    const environment = await stored()
    const { environments, http } = environment
    const second = valueOf(
      await environments.save(draft({ name: 'Second', baseUrl: 'https://second.example', headers: [] })),
    )
    for (const changes of [
      { id: null, name: 'Third' },
      { id: null },
      { id: second.id, name: 'Second' },
      { id: environment.id, headers: [{ name: 'X-Other', value: null }, unchanged[1]!] },
    ]) {
      const input = draft({ headers: unchanged, ...changes })
      for (const outcome of [await environments.check(input), await environments.save(input)]) {
        expect(failureOf<unknown>(outcome).issues.map(({ path }) => path.join('.'))).toContain(
          'headers.0.value',
        )
      }
    }
    expect(http.requests).toEqual([])
  })
})

describe("a proxy's stored password", () => {
  const password = ['proxy', 'credentials', 'password']

  it.each<[string, ProxyInput, boolean]>([
    ['the same proxy and user', manual({ password: null }), false],
    ['another host', manual({ host: 'evil.example', password: null }), true],
    ['another port', manual({ port: 1, password: null }), true],
    ['another user', manual({ userName: 'bob', password: null }), true],
  ])('with %s', async (_what, proxy, again) => {
    const { environments, id } = await stored({ proxy: manual() })
    for (const baseUrl of [origin, 'https://elsewhere.example']) {
      const input = draft({ id, baseUrl, proxy, headers: [{ name: 'X-Api-Key', value: 'new' }] })
      const outcome = await environments.check(input)
      const required = outcome.ok ? [] : outcome.failure.issues.map(({ path }) => path)
      expect(required).toEqual(again ? [password] : [])
    }
  })
})

describe('trusting a refused certificate', () => {
  const headers = secrets.slice(0, 1)

  async function refused(
    answer: boolean,
    seen: Partial<Parameters<ReturnType<typeof createRefusals>['record']>[0]>,
  ) {
    const questions: Question[] = []
    const opened = open({
      ask: async (question) => {
        questions.push(question)
        return answer
      },
    })
    const { id } = valueOf(await opened.environments.save(draft({ headers })))
    const refusalId = opened.refusals.record({
      environmentId: id,
      origin,
      trust: system,
      certificate,
      ...seen,
    })
    return { ...opened, id, refusalId, questions }
  }

  it('keeps the stored values only if the operator agrees outside the page', async () => {
    const no = await refused(false, {})
    expect(failureOf(await no.environments.trust(no.id, no.refusalId)).code).toBe('cancelled')
    expect(valueOf(await no.environments.ready(no.id)).target.network?.trust).toEqual(system)

    const yes = await refused(true, {})
    valueOf(await yes.environments.trust(yes.id, yes.refusalId))
    expect(valueOf(await yes.environments.ready(yes.id)).target).toMatchObject({
      headers: { 'X-Api-Key': 'secret' },
      network: { trust: { kind: 'exact', certificate } },
    })
    expect(yes.questions).toMatchObject([
      {
        message: `Trust this certificate of ${origin}?`,
        detail: expect.stringContaining('Environment: Production') as string,
      },
    ])
    expect(failureOf(await yes.environments.trust(yes.id, yes.refusalId)).code, 'once').toBe('not-found')
  })

  it('accepts only a refusal of this service, seen by the main process', async () => {
    const { environments, refusals, id, refusalId, questions } = await refused(true, {})
    const seen = { environmentId: id, origin, trust: system, certificate }
    for (const other of [
      'made-up',
      '',
      refusals.record({ ...seen, environmentId: null }),
      refusals.record({ ...seen, environmentId: 'another' }),
    ]) {
      expect(failureOf(await environments.trust(id, other)).code).toBe('not-found')
    }
    expect(questions, 'nobody is asked about them').toEqual([])
    for (const other of [
      refusals.record({ ...seen, origin: 'https://evil.example' }),
      refusals.record({ ...seen, trust: { kind: 'exact', certificate: otherCertificate } }),
    ]) {
      expect(failureOf(await environments.trust(id, other)).code).toBe('not-found')
    }
    expect(valueOf(await environments.ready(id)).target.network?.trust).toEqual(system)
    valueOf(await environments.save(draft({ id, baseUrl: 'https://moved.example', headers })))
    expect(failureOf(await environments.trust(id, refusalId)).code, 'edited since').toBe('not-found')
  })

  it('takes the certificate of a draft from a refusal of its origin, or keeps the stored one', async () => {
    const { environments, refusals, id, refusalId } = await refused(true, {})
    const exactly = (one: string | null) => ({ kind: 'exact' as const, refusalId: one })
    const elsewhere = refusals.record({
      environmentId: null,
      origin: 'https://evil.example',
      trust: system,
      certificate: otherCertificate,
    })
    for (const one of [null, 'made-up', elsewhere]) {
      for (const input of [
        draft({ id, headers, trust: exactly(one) }),
        draft({ name: 'New', trust: exactly(one) }),
      ]) {
        for (const outcome of [await environments.check(input), await environments.save(input)]) {
          expect(failureOf<unknown>(outcome).issues).toMatchObject([{ path: ['trust', 'refusalId'] }])
        }
      }
    }
    valueOf(await environments.save(draft({ id, headers, trust: exactly(refusalId) })))
    valueOf(await environments.save(draft({ id, headers: unchanged.slice(0, 1), trust: exactly(null) })))
    expect(valueOf(await environments.ready(id)).target).toMatchObject({
      headers: { 'X-Api-Key': 'secret' },
      network: { trust: { kind: 'exact', certificate } },
    })
  })
})
