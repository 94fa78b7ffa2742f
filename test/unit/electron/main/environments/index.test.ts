import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Environment, builtInEnvironments, environmentLimits } from '@contract'
import { sampleIntegrationId } from '@contract/deployment-api/request/sample-values'
import { describe, expect, it, vi } from 'vitest'
import { type Files, nodeFiles } from '../../../../../electron/main/files'
import { makeAuthority } from '../../../../support/main/certificates'
import {
  FakeKeychain,
  draft,
  failureOf,
  open,
  temporaryFolder,
  valueOf,
} from '../../../../support/main/environments'
import { refusingReads } from '../../../../support/main/refusing-reads'

const own = (environments: Environment[]): Environment[] =>
  environments.filter(({ storage }) => storage !== 'built-in')

const containing = (words: string): string => expect.stringContaining(words) as string

/** A disk that can be full. Then nothing is written, and existing files stay. */
function fillableDisk(): { files: Files; disk: { full: boolean } } {
  const disk = { full: false }
  const open: Files['open'] = (path, how) =>
    disk.full ? Promise.reject(new Error('ENOSPC')) : nodeFiles.open(path, how)
  return { files: { ...nodeFiles, open }, disk }
}

const identifier = 'd7b1ad9e-36f7-4b1e-9f55-0c8f6f1b7a10'

describe('the built-in environments', () => {
  it('exist from the first start, without a call to the keychain', async () => {
    const { environments, keychain } = open()
    await environments.load()
    expect(environments.state()).toMatchObject({
      environments: [
        { name: 'Sandbox (cloud)', storage: 'built-in', profile: { mode: 'cloud', baseUrl: null } },
        { name: 'Sandbox (self-hosted)', storage: 'built-in', profile: { mode: 'self-hosted' } },
      ],
      currentEnvironmentId: builtInEnvironments.cloud.id,
      keychain: { state: 'unknown', message: null },
    })
    expect(keychain.calls).toEqual([])
  })

  it("can't be changed, checked or removed", async () => {
    const { environments, http } = open()
    const { id } = builtInEnvironments.cloud
    expect(failureOf(await environments.save(draft({ id }))).code).toBe('not-allowed')
    expect(failureOf(await environments.check(draft({ id }))).code).toBe('not-allowed')
    expect(failureOf(await environments.remove(id, 'Production')).code).toBe('not-allowed')
    expect(http.requests).toEqual([])
  })

  it('start their service and send its key', async () => {
    const { environments } = open()
    expect(valueOf(await environments.ready(builtInEnvironments['self-hosted'].id))).toEqual({
      id: 'built-in-self-hosted',
      name: 'Sandbox (self-hosted)',
      mode: 'self-hosted',
      protected: false,
      readOnly: false,
      target: {
        environmentId: 'built-in-self-hosted',
        baseUrl: 'http://127.0.0.1:4600/self-hosted',
        headers: { 'X-Api-Key': 'key' },
        network: { trust: { kind: 'system' }, proxy: { mode: 'none' } },
      },
    })
  })

  it('remember integrations next to the one of the sample', async () => {
    const first = open()
    const { id } = builtInEnvironments.cloud
    await first.environments.rememberIntegration(id, identifier)
    await first.environments.rememberIntegration(id, identifier)
    const again = open({ userDataFolder: first.folder })
    expect(again.environments.state().environments[0]?.profile?.integrations).toEqual([
      sampleIntegrationId,
      identifier,
    ])
  })
})

describe('saving', () => {
  it('recognises another service, tenant, account or proxy, and nothing else', async () => {
    const { environments } = open()
    const { id, service } = valueOf(await environments.save(draft()))
    const after = async (more: object) => valueOf(await environments.save(draft({ id, ...more }))).service
    expect(await after({ name: 'Renamed', colour: 'brown' })).toBe(service)
    const others = [
      await after({
        baseUrl: 'https://deploy.example.com/other',
        headers: [{ name: 'X-Api-Key', value: 'secret' }],
      }),
      await after({ headers: [{ name: 'X-Api-Key', value: 'of another account' }] }),
      await after({ headers: [{ name: 'X-Account', value: 'secret' }] }),
      await after({ proxy: { mode: 'none' }, headers: [{ name: 'X-Api-Key', value: 'secret' }] }),
    ]
    expect(new Set([service, ...others]).size).toBe(5)
    expect(await after({ headers: [{ name: 'x-api-key', value: 'secret' }] })).toBe(service)
  })

  it('counts the edits of the route to the service, and nothing else', async () => {
    const { environments } = open()
    const { id } = valueOf(await environments.save(draft()))
    const after = async (more: object): Promise<number | undefined> => {
      valueOf(await environments.save(draft({ id, ...more })))
      return valueOf(await environments.ready(id)).target.edition
    }
    const headers = [{ name: 'X-Api-Key', value: 'secret' }]
    expect(await after({})).toBe(1)
    expect(await after({ name: 'Renamed', headers: [{ name: 'X-Api-Key', value: 'renewed' }] })).toBe(1)
    expect(await after({ proxy: { mode: 'none' }, headers })).toBe(2)
    expect(await after({ proxy: { mode: 'none' }, headers })).toBe(2)
    expect(await after({ headers })).toBe(3)
  })

  it('stores the profile with a normalized base URL, and shows everything but header values', async () => {
    const { environments, keychain, folder } = open()
    const saved = valueOf(
      await environments.save(draft({ baseUrl: ' https://deploy.example.com/api-host/v2/ ' })),
    )
    expect(saved).toMatchObject({
      name: 'Production',
      storage: 'keychain',
      problem: null,
      profile: { baseUrl: 'https://deploy.example.com/api-host', headerNames: ['X-Api-Key'] },
    })
    expect(environments.state().keychain).toEqual({ state: 'available', message: null })
    expect(JSON.parse(keychain.entries.get(saved.id) ?? '')).toMatchObject({
      version: 3,
      readOnly: false,
      headers: [{ name: 'X-Api-Key', value: 'secret' }],
    })
    expect(JSON.stringify(environments.state())).not.toContain('secret')
    const index = readFileSync(join(folder, 'environments.json'), 'utf8')
    expect(index).not.toContain('secret')
    expect(index).not.toContain('example.com')
  })

  it.each(['production', 'SANDBOX (CLOUD)', 'Production'])('refuses the taken name %j', async (name) => {
    const { environments } = open()
    valueOf(await environments.save(draft()))
    expect(failureOf(await environments.save(draft({ name })))).toMatchObject({
      code: 'invalid-input',
      issues: [{ path: ['name'] }],
    })
    expect(own(environments.state().environments)).toHaveLength(1)
  })

  it('keeps stored header values for the same origin, and requires them again for another', async () => {
    const { environments, keychain } = open()
    const { id } = valueOf(await environments.save(draft()))
    const headers = [{ name: 'x-api-key', value: null }]
    valueOf(await environments.save(draft({ id, baseUrl: 'https://deploy.example.com/other', headers })))
    expect(keychain.entries.get(id)).toContain('secret')

    for (const baseUrl of ['https://elsewhere.example.com', 'http://deploy.example.com']) {
      expect(failureOf(await environments.save(draft({ id, baseUrl, headers })))).toMatchObject({
        code: 'invalid-input',
        issues: [{ path: ['headers', 0, 'value'], message: containing('again') }],
      })
    }
    expect(keychain.entries.get(id)).toContain('https://deploy.example.com/other')
  })

  it('requires the value of a header that has none stored', async () => {
    const { environments } = open()
    const headers = [{ name: 'X-Tenant-Id', value: null }]
    expect(failureOf(await environments.save(draft({ headers }))).issues).toEqual([
      { path: ['headers', 0, 'value'], message: 'Enter the value.' },
    ])
  })

  it("refuses a profile that the keychain can't hold, before anything is written", async () => {
    const keychain = new FakeKeychain()
    keychain.entryLimit = 2_560
    const { environments } = open({ keychain })
    const value = 'x'.repeat(2_500)
    expect(failureOf(await environments.save(draft({ headers: [{ name: 'Key', value }] })))).toMatchObject({
      code: 'invalid-input',
      issues: [{ path: [], message: containing('2,560 bytes') }],
    })
    expect(keychain.entries.size).toBe(0)
  })

  it('accepts a profile as large as anyone needs, and refuses a larger one on every system', async () => {
    const { environments, keychain } = open()
    const text = `function FindProxyForURL() { return "DIRECT" } // ${'x'.repeat(31_000)}`
    const headers = (count: number) =>
      Array.from({ length: count }, (_, number) => ({ name: `Key-${number}`, value: 'x'.repeat(8_000) }))
    const large = draft({ headers: headers(5), proxy: { mode: 'pac-text', text } })
    valueOf(await environments.save(large))
    expect(failureOf(await environments.save(draft({ name: 'Larger', headers: headers(20) })))).toMatchObject(
      {
        code: 'invalid-input',
        issues: [{ path: [], message: containing('Slipway holds 131,072 bytes for an environment') }],
      },
    )
    expect(own(environments.state().environments)).toHaveLength(1)
    expect(JSON.stringify([...keychain.entries])).not.toContain('Larger')
  })

  it('holds more environments than anyone has, and refuses one more', async () => {
    const { environments } = open()
    const { count } = environmentLimits
    let last = ''
    for (let number = 0; number < count; number += 1) {
      last = valueOf(await environments.save(draft({ name: `Number ${number}` }))).id
    }
    expect(failureOf(await environments.save(draft({ name: 'One more' })))).toMatchObject({
      code: 'invalid-input',
      issues: [{ path: [], message: containing('at most 200 environments') }],
    })
    expect(own(environments.state().environments)).toHaveLength(count)
    // Existing ones can be changed, and a new one can replace a removed one.
    valueOf(await environments.save(draft({ id: last, name: 'Renamed' })))
    valueOf(await environments.remove(last, 'Renamed'))
    valueOf(await environments.save(draft({ name: 'One more' })))
  })

  it('says what takes the most room in the keychain, certificates and proxies included', async () => {
    const keychain = new FakeKeychain()
    keychain.entryLimit = 900
    const { environments } = open({ keychain })
    const headers = [{ name: 'Key', value: 'x'.repeat(500) }]
    const pem = (await makeAuthority()).pem
    const text = `function FindProxyForURL() { return "DIRECT" } // ${'x'.repeat(900)}`
    const integrations = Array.from(
      { length: 20 },
      (_, number) => String(number).padStart(8, '0') + identifier.slice(8),
    )
    for (const [more, words] of [
      [{ trust: { kind: 'authority', pem } }, 'its CA certificate, then its request headers'],
      [{ proxy: { mode: 'pac-text', text } }, 'its PAC script, then its request headers'],
      [{ integrations }, 'its known integrations, then its request headers'],
    ] as const) {
      const failed = failureOf(await environments.save(draft({ headers, ...more })))
      expect(failed.issues[0]?.message).toContain(`Most of it is ${words}`)
    }
  })

  it("doesn't change an environment that was removed", async () => {
    const { environments } = open()
    const { id } = valueOf(await environments.save(draft()))
    valueOf(await environments.remove(id, 'Production'))
    expect(failureOf(await environments.save(draft({ id }))).code).toBe('not-found')
  })

  it('stores one environment for two simultaneous saves of one name', async () => {
    const { environments } = open()
    const outcomes = await Promise.all([environments.save(draft()), environments.save(draft())])
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, false])
    expect(own(environments.state().environments)).toHaveLength(1)
  })
})

describe('a restart', () => {
  it('finds the environments and the current one again', async () => {
    const first = open()
    const { id } = valueOf(await first.environments.save(draft()))
    valueOf(await first.environments.select(id))
    await first.environments.close()

    const { environments } = open({ userDataFolder: first.folder, keychain: first.keychain })
    expect(environments.state().currentEnvironmentId).toBe(id)
    expect(own(environments.state().environments)).toMatchObject([{ id, name: 'Production', profile: null }])
    await environments.load()
    expect(own(environments.state().environments)).toMatchObject([
      { id, problem: null, profile: { baseUrl: 'https://deploy.example.com' } },
    ])
    expect(valueOf(await environments.ready(id)).target).toEqual({
      environmentId: id,
      baseUrl: 'https://deploy.example.com',
      edition: 1,
      headers: { 'X-Api-Key': 'secret' },
      network: { trust: { kind: 'system' }, proxy: { mode: 'system' } },
    })
  })

  it("reads a profile for the first request if it hasn't been read before", async () => {
    const first = open()
    const { id } = valueOf(await first.environments.save(draft()))
    const { environments } = open({ userDataFolder: first.folder, keychain: first.keychain })
    expect(valueOf(await environments.ready(id)).name).toBe('Production')
  })

  it('opens on the built-in cloud if the current environment is no longer known', async () => {
    const first = open()
    const { id } = valueOf(await first.environments.save(draft()))
    valueOf(await first.environments.select(id))
    valueOf(await first.environments.remove(id, 'Production'))
    const { environments } = open({ userDataFolder: first.folder, keychain: first.keychain })
    expect(environments.state().currentEnvironmentId).toBe(builtInEnvironments.cloud.id)
  })
})

describe('a locked keychain', () => {
  async function restartLocked() {
    const first = open()
    const { id } = valueOf(await first.environments.save(draft()))
    first.keychain.state = 'locked'
    const again = open({ userDataFolder: first.folder, keychain: first.keychain })
    await again.environments.load()
    return { ...again, id }
  }

  it('is reported, and no environment is forgotten', async () => {
    const { environments, id, keychain } = await restartLocked()
    expect(environments.state().keychain).toMatchObject({
      state: 'locked',
      message: containing('Retry'),
    })
    expect(own(environments.state().environments)).toMatchObject([
      { id, name: 'Production', storage: 'keychain', profile: null, problem: containing('locked') },
    ])
    expect(failureOf(await environments.ready(id))).toMatchObject({
      code: 'keychain-locked',
      retryable: true,
    })
    expect(keychain.calls.filter((call) => call.startsWith('set'))).toHaveLength(2)
  })

  it('returns everything after it was unlocked and Retry was pressed', async () => {
    const { environments, id, keychain } = await restartLocked()
    keychain.state = 'open'
    expect(valueOf(await environments.retryKeychain())).toEqual({ state: 'available', message: null })
    expect(valueOf(await environments.ready(id)).target.headers).toEqual({ 'X-Api-Key': 'secret' })
  })

  it('is called once at the start, however many environments there are', async () => {
    const first = open()
    for (const name of ['A', 'B', 'C']) valueOf(await first.environments.save(draft({ name })))
    first.keychain.state = 'locked'
    first.keychain.calls = []
    const { environments } = open({ userDataFolder: first.folder, keychain: first.keychain })
    await environments.load()
    expect(first.keychain.calls).toEqual(['get marker'])
  })

  it('refuses to save, change and remove', async () => {
    const { environments, id } = await restartLocked()
    expect(failureOf(await environments.save(draft({ name: 'New' }))).code).toBe('keychain-locked')
    expect(failureOf(await environments.save(draft({ id }))).code).toBe('keychain-locked')
    expect(failureOf(await environments.remove(id, 'Production')).code).toBe('keychain-locked')
    expect(own(environments.state().environments)).toHaveLength(1)
  })

  it('is called again for a request even after the clock was set back', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    const first = open()
    const { id } = valueOf(await first.environments.save(draft()))
    const { environments, keychain } = open({ userDataFolder: first.folder, keychain: first.keychain })
    keychain.state = 'locked'
    await environments.load()
    keychain.state = 'open'
    vi.setSystemTime(Date.now() - 30 * 86_400_000)
    vi.advanceTimersByTime(3_000)
    expect(valueOf(await environments.ready(id)).name).toBe('Production')
    vi.useRealTimers()
  })

  it('leaves profiles usable that were read before', async () => {
    const { environments, keychain } = open()
    const { id } = valueOf(await environments.save(draft()))
    keychain.state = 'locked'
    expect(valueOf(await environments.retryKeychain()).state).toBe('locked')
    expect(valueOf(await environments.ready(id)).target.headers).toEqual({ 'X-Api-Key': 'secret' })
  })
})

describe('an entry', () => {
  async function withEntry(text: string | null) {
    const first = open()
    const { id } = valueOf(await first.environments.save(draft()))
    if (text === null) first.keychain.entries.delete(id)
    else first.keychain.entries.set(id, text)
    const again = open({ userDataFolder: first.folder, keychain: first.keychain })
    await again.environments.load()
    const [environment] = own(again.environments.state().environments)
    return { ...again, id, environment }
  }

  it('that someone deleted is distinguished from a locked one, and stays listed until it is removed', async () => {
    const { environments, environment, id } = await withEntry(null)
    expect(environment).toMatchObject({ profile: null, problem: containing('no longer') })
    expect(environments.state().keychain.state).toBe('available')
    expect(failureOf(await environments.ready(id)).code).toBe('not-found')
    valueOf(await environments.remove(id, 'Production'))
    expect(own(environments.state().environments)).toEqual([])
  })

  it.each([
    ['a newer version', JSON.stringify({ version: 5, name: 'Newer', shape: 'unknown' }), 'newer version'],
    ['damage', '{"version":1,"name":', 'damaged'],
    ['another shape', JSON.stringify({ version: 1, name: 'Production' }), 'damaged'],
    ['no object at all', 'null', 'damaged'],
  ])('of %s is shown with its problem and never overwritten', async (_, text, words) => {
    const { environments, environment, id, keychain } = await withEntry(text)
    expect(environment).toMatchObject({ profile: null, problem: containing(words) })
    expect(failureOf(await environments.save(draft({ id }))).code).toBe('not-allowed')
    await environments.rememberIntegration(id, identifier)
    expect(keychain.entries.get(id)).toBe(text)
    valueOf(await environments.remove(id, environment!.name))
    expect(keychain.entries.has(id)).toBe(false)
  })
})

describe('an entry of version 1', () => {
  it('is read, and upgraded to version 3 without losses by the next save', async () => {
    const first = open()
    const { id } = valueOf(await first.environments.save(draft()))
    const {
      trust: _trust,
      proxy: _proxy,
      ...old
    } = JSON.parse(first.keychain.entries.get(id)!) as object & {
      trust: unknown
      proxy: unknown
    }
    const text = JSON.stringify({ ...old, version: 1 })
    first.keychain.entries.set(id, text)
    const { environments, keychain } = open({ userDataFolder: first.folder, keychain: first.keychain })
    await environments.load()
    expect(own(environments.state().environments)).toMatchObject([
      { problem: null, profile: { trust: { kind: 'system' }, proxy: { mode: 'system' } } },
    ])
    expect(keychain.entries.get(id)).toBe(text)
    valueOf(await environments.save(draft({ id, headers: [{ name: 'X-Api-Key', value: null }] })))
    expect(JSON.parse(keychain.entries.get(id)!)).toEqual({
      ...old,
      version: 3,
      readOnly: false,
      trust: { kind: 'system' },
      proxy: { mode: 'system' },
    })
  })
})

describe('an entry of version 3', () => {
  it('stays one while it has no nicknames, and is one again without them', async () => {
    const { environments, keychain } = open()
    const { id } = valueOf(await environments.save(draft({ integrations: [identifier] })))
    const text = keychain.entries.get(id)!
    expect(JSON.parse(text)).toMatchObject({ version: 3, integrations: [identifier] })
    expect(text, 'an earlier Slipway reads it').not.toContain('nicknames')
    const same = { id, integrations: [identifier], headers: [{ name: 'X-Api-Key', value: null }] }
    valueOf(await environments.save(draft({ ...same, nicknames: { [identifier]: 'Team forge' } })))
    expect(JSON.parse(keychain.entries.get(id)!)).toMatchObject({ version: 4 })
    valueOf(await environments.save(draft(same)))
    expect(keychain.entries.get(id)).toBe(text)
  })

  it('is read without nicknames, and gets them by the next save, which keeps its secrets', async () => {
    const first = open()
    const { id } = valueOf(await first.environments.save(draft({ integrations: [identifier] })))
    const text = first.keychain.entries.get(id)!
    const { environments, keychain } = open({ userDataFolder: first.folder, keychain: first.keychain })
    await environments.load()
    expect(own(environments.state().environments)).toMatchObject([
      { problem: null, profile: { integrations: [identifier], nicknames: {} } },
    ])
    expect(keychain.entries.get(id)).toBe(text)
    const nicknames = { [identifier]: 'Team forge' }
    const headers = [{ name: 'X-Api-Key', value: null }]
    const saved = valueOf(
      await environments.save(draft({ id, headers, integrations: [identifier], nicknames })),
    )
    expect(saved.profile?.nicknames).toEqual(nicknames)
    expect(JSON.parse(keychain.entries.get(id)!)).toEqual({
      ...(JSON.parse(text) as object),
      version: 4,
      nicknames,
    })
  })
})

describe('the password of a proxy', () => {
  const proxy = (changes: object = {}) => ({
    mode: 'manual' as const,
    host: 'proxy.example.com',
    port: 3128,
    credentials: { userName: 'ann', password: null },
    ...changes,
  })

  it('is stored in the keychain, for the proxy it was entered for, and never shown', async () => {
    const { environments, keychain, http } = open()
    const credentials = { userName: 'ann', password: 'opensesame' }
    const saved = valueOf(await environments.save(draft({ proxy: proxy({ credentials }) })))
    expect(saved.profile?.proxy).toEqual({
      mode: 'manual',
      host: 'proxy.example.com',
      port: 3128,
      userName: 'ann',
    })
    expect(JSON.stringify(environments.state())).not.toContain('opensesame')

    const { id } = saved
    const unchanged = draft({ id, proxy: proxy() })
    valueOf(await environments.save(unchanged))
    expect(keychain.entries.get(id)).toContain('opensesame')
    valueOf(await environments.check(unchanged))
    expect(http.requests[0]?.target.network?.proxy).toMatchObject({ credentials })

    for (const elsewhere of [{ host: 'evil.example' }, { port: 3129 }]) {
      const other = draft({ id, proxy: proxy(elsewhere) })
      const refused = [failureOf(await environments.save(other)), failureOf(await environments.check(other))]
      for (const { issues } of refused) {
        expect(issues).toMatchObject([
          { path: ['proxy', 'credentials', 'password'], message: containing('again') },
        ])
      }
    }
    expect(http.requests).toHaveLength(1)
  })
})

describe('without a keychain', () => {
  it('environments exist for the session, and the state says so', async () => {
    const keychain = new FakeKeychain()
    keychain.state = 'missing'
    const { environments, folder } = open({ keychain })
    const saved = valueOf(await environments.save(draft()))
    expect(saved).toMatchObject({ storage: 'session', profile: { baseUrl: 'https://deploy.example.com' } })
    expect(environments.state().keychain).toMatchObject({
      state: 'missing',
      message: containing('until Slipway closes'),
    })
    expect(valueOf(await environments.ready(saved.id)).target.headers).toEqual({ 'X-Api-Key': 'secret' })
    expect(own(open({ keychain, userDataFolder: folder }).environments.state().environments)).toEqual([])
  })

  it('they move to the keychain when Retry finds one', async () => {
    const keychain = new FakeKeychain()
    keychain.state = 'missing'
    const { environments } = open({ keychain })
    const { id } = valueOf(await environments.save(draft()))
    keychain.state = 'open'
    expect(valueOf(await environments.retryKeychain()).state).toBe('available')
    expect(own(environments.state().environments)).toMatchObject([{ id, storage: 'keychain' }])
    expect(keychain.entries.get(id)).toContain('secret')
  })

  it("stored environments stay listed, and can't be changed", async () => {
    const first = open()
    const { id } = valueOf(await first.environments.save(draft()))
    first.keychain.state = 'missing'
    const { environments } = open({ keychain: first.keychain, userDataFolder: first.folder })
    await environments.load()
    expect(own(environments.state().environments)).toMatchObject([{ id, storage: 'keychain', profile: null }])
    expect(failureOf(await environments.save(draft({ id }))).code).toBe('keychain-missing')
  })
})

describe("a keychain that doesn't answer", () => {
  it('is reported after the time limit, and the call still takes effect', async () => {
    const keychain = new FakeKeychain()
    let answer = (): void => undefined
    const set = keychain.set
    keychain.set = async (account, value) => {
      await new Promise<void>((resolve) => (answer = resolve))
      return set(account, value)
    }
    const { environments } = open({ keychain, timeoutMs: 30 })
    expect(failureOf(await environments.save(draft()))).toMatchObject({
      code: 'keychain-unresponsive',
      retryable: true,
    })
    expect(environments.state().keychain.state).toBe('unresponsive')
    expect(failureOf(await environments.save(draft({ name: 'Other' }))).code).toBe('keychain-unresponsive')

    answer()
    keychain.set = set
    await vi.waitFor(() => expect(environments.state().keychain.state).toBe('available'))
    expect(own(environments.state().environments)).toHaveLength(1)
    // The dialog is still open. Saving again finds the environment saved.
    expect(valueOf(await environments.save(draft())).name).toBe('Production')
    expect(own(environments.state().environments)).toHaveLength(1)
  })

  it('is abandoned by Retry, and the next call is answered', async () => {
    const first = open()
    const { id } = valueOf(await first.environments.save(draft()))
    const { environments, keychain } = open({
      keychain: first.keychain,
      userDataFolder: first.folder,
      // Awaited once, long enough for a busy machine to answer the others.
      timeoutMs: 500,
    })
    keychain.accident = { after: 1, kind: 'hangs-before' }
    await environments.load()
    expect(environments.state().keychain.state).toBe('unresponsive')
    expect(failureOf(await environments.ready(id)).code).toBe('keychain-unresponsive')
    expect(valueOf(await environments.retryKeychain()).state).toBe('available')
    // Earlier connections may have lost the keychain.
    expect(keychain.renewed).toBe(1)
    expect(valueOf(await environments.ready(id)).name).toBe('Production')
  })

  it('never prevents a switch', async () => {
    const { environments, keychain } = open({ timeoutMs: 10_000 })
    keychain.accident = { after: 0, kind: 'hangs-before' }
    void environments.save(draft())
    valueOf(await environments.select(builtInEnvironments['self-hosted'].id))
    expect(valueOf(await environments.ready(builtInEnvironments['self-hosted'].id)).mode).toBe('self-hosted')
    await environments.close()
  })
})

describe('the index', () => {
  it('that is damaged is set aside and rebuilt from the keychain', async () => {
    const first = open()
    for (const name of ['A', 'B']) valueOf(await first.environments.save(draft({ name })))
    first.keychain.entries.set(identifier, 'damaged too')
    const path = join(first.folder, 'environments.json')
    writeFileSync(path, '{"version":1,"environ')

    first.keychain.state = 'locked'
    const locked = open({ keychain: first.keychain, userDataFolder: first.folder })
    await locked.environments.load()
    expect(locked.environments.state().keychain.state).toBe('locked')
    await locked.environments.select(builtInEnvironments['self-hosted'].id)

    first.keychain.state = 'open'
    const { environments } = open({ keychain: first.keychain, userDataFolder: first.folder })
    await environments.load()
    expect(own(environments.state().environments)).toMatchObject([
      { name: 'A', profile: { mode: 'cloud' } },
      { name: 'B' },
      { id: identifier, profile: null, problem: containing('damaged') },
    ])
    expect(readdirSync(first.folder).filter((name) => name.includes('damaged'))).toHaveLength(1)
  })

  it('that the disk refuses to read once is complete, and stays where it is', async () => {
    const first = open()
    const ids: string[] = []
    for (const name of ['A', 'B']) ids.push(valueOf(await first.environments.save(draft({ name }))).id)
    valueOf(await first.environments.reorder([...ids].reverse()))
    valueOf(await first.environments.select(ids[1]!))
    const files = refusingReads(1)
    const { environments } = open({ keychain: first.keychain, userDataFolder: first.folder, files })
    await environments.load()
    expect(own(environments.state().environments)).toMatchObject([{ name: 'B' }, { name: 'A' }])
    expect(environments.state().currentEnvironmentId).toBe(ids[1])
    expect(readdirSync(first.folder)).toEqual(['environments.json'])
  })

  it('of a newer version is left unchanged and reported, and environments are found in the keychain', async () => {
    const first = open()
    valueOf(await first.environments.save(draft({ name: 'A' })))
    const path = join(first.folder, 'environments.json')
    const newer = '{"version":2,"what":"ever"}'
    writeFileSync(path, newer)
    const notice = vi.fn<(text: string) => void>()
    const { environments } = open({ keychain: first.keychain, userDataFolder: first.folder, notice })
    await environments.load()
    expect(own(environments.state().environments)).toMatchObject([{ name: 'A' }])
    expect(notice).toHaveBeenCalledWith(containing('newer version of Slipway'))
    valueOf(await environments.save(draft({ name: 'B' })))
    expect(readFileSync(path, 'utf8')).toBe(newer)
    expect(readdirSync(first.folder)).toEqual(['environments.json'])
  })

  it("isn't written by a start", async () => {
    const { environments, folder } = open()
    await environments.load()
    expect(existsSync(join(folder, 'environments.json'))).toBe(false)
  })

  it("fails a save before the keychain is changed if it can't be written", async () => {
    const folder = temporaryFolder()
    const { environments, keychain } = open({ userDataFolder: join(folder, 'not-there') })
    expect(failureOf(await environments.save(draft()))).toMatchObject({ code: 'internal', retryable: true })
    expect(keychain.entries.size).toBe(0)
  })
})

describe('a list without entries that the keychain has', () => {
  /** Two environments in the keychain, and an earlier list, made by `change`. */
  async function restartWith(change: (path: string) => unknown) {
    const first = open()
    const { id } = valueOf(await first.environments.save(draft({ name: 'Used' })))
    const other = valueOf(await first.environments.save(draft({ name: 'Other' }))).id
    await first.environments.close()
    change(join(first.folder, 'environments.json'))
    first.keychain.calls = []
    const notice = vi.fn<(text: string) => void>()
    const { environments, keychain, folder } = open({
      ...{ keychain: first.keychain, userDataFolder: first.folder, notice },
    })
    await environments.load()
    return { environments, keychain, folder, notice, id, other }
  }
  const names = (environments: { name: string }[]): string[] => environments.map(({ name }) => name).sort()
  const edit =
    (id: (index: { environments: { id: string; name: string }[] }) => unknown) =>
    (path: string): void => {
      const index = JSON.parse(readFileSync(path, 'utf8')) as Parameters<typeof id>[0]
      id(index)
      writeFileSync(path, JSON.stringify(index))
    }

  it.each<[string, (path: string) => unknown, string[], string]>([
    ['is missing', (path) => rmSync(path), ['Other', 'Used'], '2 environments were'],
    [
      'is an earlier one',
      edit((index) => (index.environments = index.environments.filter(({ name }) => name === 'Other'))),
      ['Other', 'Used'],
      '"Used" was',
    ],
    [
      'has another identifier',
      edit((index) => (index.environments[0]!.id = identifier)),
      ['Other', 'Used', 'Used (2)'],
      '"Used (2)" was',
    ],
  ])(
    'is completed if it %s, once data is found that belongs to an environment',
    async (_, change, all, words) => {
      const { environments, keychain, folder, notice, id, other } = await restartWith(change)
      expect(keychain.calls).not.toContain('findAll')
      expect(await environments.lookFor(id)).toBe('listed')
      expect(names(own(environments.state().environments))).toEqual(all)
      expect(notice).toHaveBeenCalledExactlyOnceWith(containing(words))
      expect(valueOf(await environments.ready(id)).target.headers).toEqual({ 'X-Api-Key': 'secret' })
      expect(keychain.calls.filter((call) => /^(set|delete) /.test(call))).toEqual([])
      // Removed ones stay removed, even if the earlier list comes back.
      const list = join(folder, 'environments.json')
      const before = readFileSync(list, 'utf8')
      for (const one of [id, other]) {
        const { name } = environments.state().environments.find((listed) => listed.id === one)!
        valueOf(await environments.remove(one, name))
      }
      writeFileSync(list, before)
      const next = open({ keychain, userDataFolder: folder })
      await next.environments.load()
      expect(own(next.environments.state().environments).filter(({ profile }) => profile)).toEqual([])
    },
  )

  it('makes one call to a closed keychain, and is completed after that was opened', async () => {
    const { environments, keychain, id, other } = await restartWith((path) => rmSync(path))
    expect(keychain.calls).toEqual([])
    keychain.state = 'locked'
    for (const one of [id, other, id]) expect(await environments.lookFor(one)).toBe('unknown')
    expect(keychain.calls).toEqual([`get ${id}`, 'get marker'])
    expect(environments.state().keychain).toMatchObject({ state: 'locked', message: containing('Retry') })
    keychain.state = 'open'
    valueOf(await environments.retryKeychain())
    expect(await environments.lookFor(id)).toBe('listed')
    expect(names(own(environments.state().environments))).toEqual(['Other', 'Used'])
  })

  it("doesn't list anything if the keychain has no entry", async () => {
    const { environments, keychain, notice } = await restartWith(() => undefined)
    expect(await environments.lookFor(identifier)).toBe('gone')
    expect(await environments.lookFor('built-in-cloud')).toBe('listed')
    expect(await environments.lookFor('of-somebody-else')).toBe('unknown')
    expect(keychain.calls).not.toContain('findAll')
    expect(notice).not.toHaveBeenCalled()
  })
})

describe("a list that can't be written", () => {
  it('fails no change that the keychain has: it exists after a restart', async () => {
    const { files, disk } = fillableDisk()
    const { environments, keychain, folder } = open({ files })
    const { id } = valueOf(await environments.save(draft()))
    disk.full = true
    const edited = valueOf(await environments.save(draft({ id, name: 'Renamed' })))
    expect(edited.name).toBe('Renamed')
    const next = open({ keychain, userDataFolder: folder })
    await next.environments.load()
    expect(own(next.environments.state().environments)).toMatchObject([{ id, name: 'Renamed' }])
  })

  it("prevents no switch, and the operator is told that it isn't stored, until it is", async () => {
    const { files, disk } = fillableDisk()
    const { environments, folder } = open({ files })
    const { id } = valueOf(await environments.save(draft()))
    const current = (): string =>
      (JSON.parse(readFileSync(join(folder, 'environments.json'), 'utf8')) as { current: string }).current
    disk.full = true
    for (const time of ['first', 'second']) {
      const reason = failureOf(await environments.select(id))
      expect(reason.message).toBe("It is the current environment now, but that couldn't be written to disk.")
      expect(reason.advice).toContain(folder)
      expect(environments.state().currentEnvironmentId, time).toBe(id)
    }
    expect(current()).toBe(builtInEnvironments.cloud.id)
    disk.full = false
    valueOf(await environments.select(id))
    expect(current()).toBe(id)
  })

  it('is written although a folder has the path of the new one', async () => {
    const { environments, keychain, folder } = open()
    mkdirSync(join(folder, 'environments.json.new', 'x'), { recursive: true })
    const { id } = valueOf(await environments.save(draft()))
    valueOf(await environments.select(id))
    const next = open({ keychain, userDataFolder: folder })
    expect(next.environments.state().currentEnvironmentId).toBe(id)
    expect(readdirSync(folder).filter((name) => name.includes('.new.in-the-way-'))).toHaveLength(1)
  })
})

describe('removing', () => {
  it('deletes the entry, the session and the current one', async () => {
    const { environments, keychain, http } = open()
    const { id } = valueOf(await environments.save(draft()))
    valueOf(await environments.select(id))
    valueOf(await environments.remove(id, 'Production'))
    expect(keychain.entries.has(id)).toBe(false)
    expect(http.forgotten).toEqual([id])
    expect(environments.state().currentEnvironmentId).toBe(builtInEnvironments.cloud.id)
    expect(failureOf(await environments.remove(id, 'Production')).code).toBe('not-found')
    expect(failureOf(await environments.select(id)).code).toBe('not-found')
  })

  it("deletes the other data too, even if the list can't be written, and says what was done", async () => {
    const forgotten: string[] = []
    const forget = async (id: string): Promise<void> => void forgotten.push(id)
    const { files, disk } = fillableDisk()
    const { environments, keychain, folder } = open({ forget, files })
    const { id } = valueOf(await environments.save(draft()))
    disk.full = true
    const reason = failureOf(await environments.remove(id, 'Production'))
    expect(reason.message).toBe(
      `"Production" was removed, but the list of environments couldn't be written to disk.`,
    )
    expect(reason.advice).toContain('Its stored data is deleted.')
    expect(keychain.entries.has(id)).toBe(false)
    expect(forgotten).toEqual([id])
    expect(own(environments.state().environments)).toEqual([])
    // The next start lists it, so that it can be removed there.
    disk.full = false
    const next = open({ keychain, userDataFolder: folder, forget })
    await next.environments.load()
    expect(own(next.environments.state().environments)).toMatchObject([{ id, profile: null }])
    valueOf(await next.environments.remove(id, 'Production'))
    expect(forgotten).toEqual([id, id])
  })

  it('of an environment that is or may be protected needs its name', async () => {
    const { environments, keychain, folder } = open()
    const { id } = valueOf(await environments.save(draft()))
    for (const name of [null, '', 'production', 'Production '])
      expect(failureOf(await environments.remove(id, name)).code).toBe('confirmation-needed')
    keychain.entries.set(id, 'damaged')
    const next = open({ keychain, userDataFolder: folder })
    await next.environments.load()
    expect(failureOf(await next.environments.remove(id, null))).toMatchObject({
      code: 'confirmation-needed',
      message: `"Production" may be protected: its profile can't be read.`,
    })
    expect(keychain.entries.has(id)).toBe(true)
    valueOf(await next.environments.remove(id, 'Production'))
    const other = valueOf(await next.environments.save(draft({ protected: false })))
    valueOf(await next.environments.remove(other.id, null))
  })

  it("keeps everything if the keychain doesn't delete its entry", async () => {
    const forget = vi.fn(async () => undefined)
    const { environments, keychain } = open({ forget })
    const { id } = valueOf(await environments.save(draft()))
    keychain.state = 'locked'
    expect(failureOf(await environments.remove(id, 'Production')).code).toBe('keychain-locked')
    expect(forget).not.toHaveBeenCalled()
  })
})

describe("a session of a removed environment that can't be cleared", () => {
  it('leaves nothing listed, and blocks no save or removal while it hangs', async () => {
    const { environments, http } = open()
    const { id } = valueOf(await environments.save(draft()))
    const other = valueOf(await environments.save(draft({ name: 'Other' })))
    http.forget = () => new Promise(() => undefined)
    valueOf(await environments.remove(id, 'Production'))
    expect(own(environments.state().environments)).toMatchObject([{ id: other.id }])
    const third = valueOf(await environments.save(draft({ name: 'Third' })))
    valueOf(await environments.remove(other.id, 'Other'))
    expect(own(environments.state().environments)).toMatchObject([{ id: third.id }])
  })

  it('is reported if its preparation failed', async () => {
    const reported: unknown[] = []
    const { environments, keychain, http } = open({ report: (error) => reported.push(error) })
    const { id } = valueOf(await environments.save(draft()))
    const reason = new Error('The session could not be prepared.')
    http.forget = () => Promise.reject(reason)
    valueOf(await environments.remove(id, 'Production'))
    await vi.waitFor(() => expect(reported).toEqual([reason]))
    expect(own(environments.state().environments)).toEqual([])
    expect(keychain.entries.has(id)).toBe(false)
  })
})

describe('what an environment leads to', () => {
  it('is known as soon as its profile is, and is part of the state of the window', async () => {
    const { environments, keychain, folder } = open()
    const { id, service } = valueOf(await environments.save(draft()))
    expect(environments.destination(id)).toMatchObject({
      id,
      service,
      target: {
        environmentId: id,
        baseUrl: 'https://deploy.example.com',
        headers: { 'X-Api-Key': 'secret' },
      },
    })
    const edited = valueOf(await environments.save(draft({ id, baseUrl: 'https://other.example.com' })))
    expect(environments.destination(id)?.service).toBe(edited.service)
    expect(edited.service).not.toBe(service)
    const again = open({ userDataFolder: folder, keychain }).environments
    expect(again.destination(id)).toBeNull()
    await again.load()
    expect(again.destination(id)?.target.baseUrl).toBe('https://other.example.com')
    for (const one of environments.state().environments)
      expect(environments.destination(one.id)?.service).toBe(one.service)
  })
})

describe('the integrations of an environment', () => {
  it('keep their nicknames while others are remembered', async () => {
    const { environments, keychain } = open()
    const nicknames = { [identifier]: 'Team forge' }
    const { id } = valueOf(await environments.save(draft({ integrations: [identifier], nicknames })))
    await environments.rememberIntegration(id, identifier.replace(/^./, '0'))
    expect(JSON.parse(keychain.entries.get(id) ?? '')).toMatchObject({
      integrations: [identifier, identifier.replace(/^./, '0')],
      nicknames,
    })
    expect(own(environments.state().environments)[0]?.profile?.nicknames).toEqual(nicknames)
  })

  it('are stored in its profile, once each, as long as the keychain has room', async () => {
    const keychain = new FakeKeychain()
    keychain.entryLimit = 330
    const { environments } = open({ keychain })
    const { id } = valueOf(await environments.save(draft()))
    await environments.rememberIntegration(id, identifier)
    await environments.rememberIntegration(id, identifier)
    for (let number = 0; number < 9; number++) {
      await environments.rememberIntegration(id, identifier.replace(/^./, String(number)))
    }
    const integrations = own(environments.state().environments)[0]?.profile?.integrations ?? []
    expect(integrations).toContain(identifier)
    expect(keychain.entries.get(id)?.length).toBeLessThanOrEqual(330)
    expect(JSON.parse(keychain.entries.get(id) ?? '')).toMatchObject({ integrations })
  })

  const listed = Array.from(
    { length: 300 },
    (_, number) => `${String(number).padStart(8, '0')}${identifier.slice(8)}`,
  )

  it('are written together, however many are listed at once, and delay no save', async () => {
    const keychain = new FakeKeychain()
    const { environments } = open({ keychain })
    const { id } = valueOf(await environments.save(draft()))
    const other = valueOf(await environments.save(draft({ name: 'Other' })))
    keychain.calls = []
    const remembered = listed.map((one) => environments.rememberIntegration(id, one))
    valueOf(await environments.save(draft({ id: other.id, name: 'Another' })))
    const callsBeforeSaved = [...keychain.calls]
    await Promise.all(remembered)
    expect(environments.state().keychain.state).toBe('available')
    expect(callsBeforeSaved.filter((call) => call === `set ${id}`).length).toBeLessThanOrEqual(2)
    expect(keychain.calls.filter((call) => call === `set ${id}`).length).toBeLessThanOrEqual(3)
    expect(JSON.parse(keychain.entries.get(id) ?? '')).toMatchObject({ integrations: listed.slice(0, 200) })
  })

  it.each(['of its own', 'built in'])('stay known if many others are listed (%s)', async (kind) => {
    const { environments, keychain, folder } = open()
    const { id } = kind === 'built in' ? builtInEnvironments.cloud : valueOf(await environments.save(draft()))
    await environments.rememberIntegration(id, identifier)
    await Promise.all(listed.map((one) => environments.rememberIntegration(id, one)))
    const again = open({ userDataFolder: folder, keychain }).environments
    await again.load()
    for (const { environments: all } of [environments.state(), again.state()]) {
      const integrations = all.find((environment) => environment.id === id)?.profile?.integrations ?? []
      const remembered = integrations.filter((one) => one !== sampleIntegrationId)
      expect(remembered).toEqual([identifier, ...listed.slice(0, 199)])
    }
  })
})

describe('checking a connection', () => {
  it('requests one deployment from the normalized URL in a session that is used once', async () => {
    const { environments, http } = open()
    const { message, baseUrl } = valueOf(
      await environments.check(draft({ baseUrl: 'https://deploy.example.com/x/v2' })),
    )
    expect(baseUrl).toBe('https://deploy.example.com/x')
    expect(message).toBe('Connected in 12 ms: the service lists no deployments.')
    expect(http.requests).toMatchObject([
      {
        method: 'GET',
        path: '/v2/deployments',
        target: { environmentId: null, headers: { 'X-Api-Key': 'secret' } },
      },
    ])
    expect(String(http.requests[0]?.query)).toBe('limit=1')
  })

  it('warns if a listed source contradicts the mode', async () => {
    const { environments, http } = open()
    http.json = { resources: [{ id: 'a', name: 'a', source: 'external_docker' }], offset: 1 }
    const { warning } = valueOf(await environments.check(draft({ mode: 'cloud' })))
    expect(warning).toMatch(
      /^The mode may be wrong: it is cloud, .* "External image", which is self-hosted only/,
    )
    expect(valueOf(await environments.check(draft({ mode: 'self-hosted' }))).warning).toBeNull()
    http.json = { resources: [{ id: 'a', name: 'a', source: 'quantum' }], offset: 1 }
    expect(valueOf(await environments.check(draft({ mode: 'cloud' }))).warning).toBeNull()
  })

  it('sends a stored header value to its own origin and to no other', async () => {
    const { environments, http } = open()
    const { id } = valueOf(await environments.save(draft()))
    const headers = [{ name: 'X-Api-Key', value: null }]
    valueOf(await environments.check(draft({ id, headers })))
    expect(http.requests[0]?.target.headers).toEqual({ 'X-Api-Key': 'secret' })
    for (const baseUrl of ['https://evil.example', 'https://deploy.example.com:8443']) {
      expect(failureOf(await environments.check(draft({ id, headers, baseUrl }))).code).toBe('invalid-input')
    }
    expect(http.requests).toHaveLength(1)
  })

  it("detects an answer that isn't a page of deployments", async () => {
    const { environments, http } = open()
    http.json = { hello: 'world' }
    expect(failureOf(await environments.check(draft())).code).toBe('unreadable-answer')
  })
})
