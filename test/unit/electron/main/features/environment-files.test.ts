import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Environment, EnvironmentView } from '@contract'
import { readEnvironmentFile } from '../../../../../electron/main/environments/file'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { readEnvironments, writeEnvironments } from '../../../../../electron/main/features/environment-files'
import { environmentView, exactTrust } from '../../../../support/builders/environment-view'
import { failureOf, valueOf } from '../../../../support/main/environments'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-environment-file-'))
})
afterEach(() => void vi.restoreAllMocks())
afterAll(() => rm(folder, { recursive: true, force: true }))

const integration = '0f8fad5b-d9cb-469f-a165-70867728950e'

function environment(profile: Partial<EnvironmentView> | null = {}, name = 'Production'): Environment {
  const view = environmentView({
    baseUrl: 'https://deploy.example.com/host',
    mode: 'self-hosted',
    colour: 'brown',
    protected: true,
    readOnly: true,
    headerNames: ['X-Api-Key', 'X-Tenant-Id'],
    integrations: [integration],
    nicknames: { [integration]: 'Team forge' },
  })
  return {
    id: name,
    name,
    storage: 'keychain',
    profile: profile && { ...view, ...profile },
    service: name,
    problem: null,
  }
}

interface Written {
  environments: Record<string, unknown>[]
}
const fileOf = (...environments: Environment[]): Written =>
  JSON.parse(writeEnvironments(environments).text) as Written
const readText = (text: string) => readEnvironments('them.json', new TextEncoder().encode(text))
const reading = (value: unknown) => readText(JSON.stringify(value))

describe('a file with environments', () => {
  it('restores everything that it was written from but secrets', async () => {
    const { text, written, leftOut } = writeEnvironments([environment(), environment({}, 'Staging')])
    expect({ written, leftOut }).toEqual({ written: 2, leftOut: [] })
    expect(valueOf(await readText(text))).toEqual([
      { name: 'Production', profile: environment().profile },
      { name: 'Staging', profile: environment().profile },
    ])
  })

  it('has no user name of a proxy, no query of a PAC address, and no exactly trusted certificate', () => {
    const manual = { mode: 'manual' as const, host: 'proxy.example.com', port: 8080, userName: 'ann' }
    const [one, two, three] = fileOf(
      environment({ proxy: manual, trust: exactTrust }),
      environment({ proxy: { mode: 'pac-url', url: 'https://pac.example.com/?token=4711' } }),
      environment({ proxy: { mode: 'pac-url', url: 'https://pac.example.com/proxy.pac' } }),
    ).environments
    expect(one).toMatchObject({
      proxy: { mode: 'manual', host: 'proxy.example.com', port: 8080 },
      trust: { kind: 'system' },
    })
    expect(JSON.stringify(one)).not.toContain('ann')
    expect(two).toMatchObject({ proxy: { mode: 'system' } })
    expect(three).toMatchObject({ proxy: { mode: 'pac-url', url: 'https://pac.example.com/proxy.pac' } })
  })

  it('leaves out what others could not import, and names it', () => {
    const { written, leftOut } = writeEnvironments([
      environment(null, 'Locked'),
      environment({ headerNames: ['X-HTTP-Method-Override'] }, 'Meddling'),
      environment({ trust: { kind: 'authority', pem: 'expired', certificates: [] } }, 'Expired'),
      environment({}, 'Fine'),
    ])
    expect({ written, leftOut }).toEqual({ written: 1, leftOut: ['Locked', 'Meddling', 'Expired'] })
  })

  it.each([
    ['an unknown member, such as a value of a header', { secret: 'x' }],
    ['a name that reverses the text around it', { name: 'Prod\u202euction' }],
    ['a name with an invisible character', { name: 'Prod\u200bction' }],
    ['a name with half a character', { name: 'Production\ud800' }],
    ['half a character in a base URL', { baseUrl: 'https://deploy.example.com/\udc00' }],
    ['half a character in a PAC script', { proxy: { mode: 'pac-text', text: 'FindProxyForURL \ud800' } }],
    ['a base URL with credentials', { baseUrl: 'https://ann:key@deploy.example.com' }],
    ['a base URL that is no http', { baseUrl: 'file:///etc/passwd' }],
    ['an invisible character in a base URL', { baseUrl: 'https://deploy.example.com/\u200b' }],
    ['a header that makes a request another one', { headers: ['X-HTTP-Method-Override'] }],
    ['a header with a value', { headers: [{ name: 'X-Api-Key', value: 'key' }] }],
    ['an exact certificate', { trust: { kind: 'exact', refusalId: null } }],
    ['credentials of a proxy', { proxy: { mode: 'manual', host: 'p', port: 1, credentials: null } }],
    ['a hidden direction in a PAC script', { proxy: { mode: 'pac-text', text: 'FindProxyForURL \u202e' } }],
    ['a colour that does not exist', { colour: 'red' }],
    ['a nickname of what is no integration', { nicknames: { all: 'Team forge' } }],
    ['an invisible character in a nickname', { nicknames: { [integration]: 'Team\u200bforge' } }],
  ])('is refused with %s', async (_what, change) => {
    const file = fileOf(environment())
    const outcome = await reading({ ...file, environments: [{ ...file.environments[0], ...change }] })
    expect(failureOf(outcome)).toMatchObject({ code: 'invalid-input' })
    expect(failureOf(outcome).issues.length).toBeGreaterThan(0)
  })

  it('says which environment is wrong, by its place and its name, and which field', async () => {
    const file = fileOf(environment())
    const [one] = file.environments
    const messagesOf = async (...environments: unknown[]) =>
      failureOf(await reading({ ...file, environments })).issues.map(({ path, message }) => {
        expect(path).toEqual([])
        return message
      })
    expect(await messagesOf(one, { ...one, name: 'Staging', baseUrl: 'x', mode: 'other' })).toEqual([
      expect.stringMatching(/^Environment 2 \("Staging"\), Base URL: \w/),
      expect.stringMatching(/^Environment 2 \("Staging"\), Mode: \w/),
    ])
    expect(await messagesOf({ ...one, name: 1, headers: ['X-Key', ''] })).toEqual([
      expect.stringMatching(/^Environment 1, Name: \w/),
      expect.stringMatching(/^Environment 1, Header name 2: \w/),
    ])
    const [port] = await messagesOf({
      ...one,
      name: 'S\u202e',
      proxy: { mode: 'manual', host: 'p', port: 'x' },
    })
    expect(port).toMatch(/^Environment 1 \("S[^\u202e]*"\)/)
    expect(await messagesOf(7)).toEqual([expect.stringMatching(/^Environment 1: \w/)])
  })

  it('is read once, however much is wrong with it', () => {
    let reads = 0
    const environments = Array.from({ length: 150 }, () => ({
      get name() {
        reads += 1
        return 'Staging'
      },
    }))
    const read = readEnvironmentFile({ format: 'slipway-environments', version: 1, environments })
    expect(read).toMatchObject({ state: 'invalid' })
    // Once to check each, and once for each of the 200 messages.
    expect(reads).toBeLessThanOrEqual(150 + 200)
  })

  it('is refused if it is empty, too long, of another version or something else, with few and short messages', async () => {
    const file = fileOf(environment())
    const [one] = file.environments
    for (const value of [
      { ...file, environments: [] },
      { ...file, environments: Array.from({ length: 201 }, () => one) },
      { ...file, format: 'other' },
      { ...file, version: 2 },
      { ...file, more: 1 },
      [],
      null,
    ])
      expect(failureOf(await reading(value)).code).toBe('invalid-input')
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_none, index) => [`member-${index}`, 1]))
    const { issues } = failureOf(
      await reading({ ...file, environments: Array.from({ length: 50 }, () => many) }),
    )
    expect(issues.length).toBeLessThanOrEqual(5)
    expect(Math.max(...issues.map(({ message }) => message.length))).toBeLessThanOrEqual(300)
  })
})

describe('any text', () => {
  const valid = JSON.parse(writeEnvironments([environment()]).text) as Written
  /** Values in place of a member of a valid file, so that most of it is reached. */
  const nearlyValid = fc
    .tuple(
      fc.constantFrom(...Object.keys(valid.environments[0]!), '__proto__', 'constructor'),
      fc.jsonValue(),
    )
    .map(([member, value]) =>
      JSON.stringify({
        ...valid,
        environments: [Object.fromEntries([...Object.entries(valid.environments[0]!), [member, value]])],
      }),
    )
  const cut = fc
    .tuple(fc.nat({ max: 900 }), fc.string())
    .map(([length, tail]) => JSON.stringify(valid).slice(0, length) + tail)

  it('is refused or gives valid environments, which write the same file again; it never throws', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.json(), nearlyValid, cut), async (text) => {
        const outcome = await readText(text)
        if (!outcome.ok) {
          expect(outcome.failure.code).toBe('invalid-input')
          return
        }
        const environments = outcome.value.map(({ name, profile }) => environment(profile, name))
        const again = writeEnvironments(environments)
        expect(again.leftOut).toEqual([])
        expect(valueOf(await readText(again.text))).toEqual(outcome.value)
      }),
    )
  })
})
