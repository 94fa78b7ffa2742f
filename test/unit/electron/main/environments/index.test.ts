import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Environment, builtInEnvironments } from '@contract'
import { describe, expect, it, vi } from 'vitest'
import { FakeKeychain, draft, failureOf, open, valueOf } from '../../../../support/main/environments'
import { temporaryFolder } from '../../../../support/temporary-folder'

describe('environments', () => {
  const own = (environments: Environment[]): Environment[] =>
    environments.filter(({ storage }) => storage !== 'built-in')

  const containing = (words: string): string => expect.stringContaining(words) as string

  const identifier = 'd7b1ad9e-36f7-4b1e-9f55-0c8f6f1b7a10'

  describe('the built-in environments', () => {
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
        readOnly: false,
        headers: [{ name: 'X-Api-Key', value: 'secret' }],
      })
      expect(JSON.stringify(environments.state())).not.toContain('secret')
      const index = readFileSync(join(folder, 'environments.json'), 'utf8')
      expect(index).not.toContain('secret')
      expect(index).not.toContain('example.com')
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

    it('stores one environment for two simultaneous saves of one name', async () => {
      const { environments } = open()
      const outcomes = await Promise.all([environments.save(draft()), environments.save(draft())])
      expect(outcomes.map(({ ok }) => ok)).toEqual([true, false])
      expect(own(environments.state().environments)).toHaveLength(1)
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

    it('refuses to save, change and remove', async () => {
      const { environments, id } = await restartLocked()
      expect(failureOf(await environments.save(draft({ name: 'New' }))).code).toBe('keychain-locked')
      expect(failureOf(await environments.save(draft({ id }))).code).toBe('keychain-locked')
      expect(failureOf(await environments.remove(id, 'Production')).code).toBe('keychain-locked')
      expect(own(environments.state().environments)).toHaveLength(1)
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
    async function withEntry(changed: (text: string) => string | null) {
      const first = open()
      const { id } = valueOf(await first.environments.save(draft()))
      const text = changed(first.keychain.entries.get(id)!)
      if (text === null) first.keychain.entries.delete(id)
      else first.keychain.entries.set(id, text)
      const again = open({ userDataFolder: first.folder, keychain: first.keychain })
      await again.environments.load()
      const [environment] = own(again.environments.state().environments)
      return { ...again, id, environment, text }
    }

    it('that someone deleted is distinguished from a locked one, and stays listed until it is removed', async () => {
      const { environments, environment, id } = await withEntry(() => null)
      expect(environment).toMatchObject({ profile: null, problem: containing('no longer') })
      expect(environments.state().keychain.state).toBe('available')
      expect(failureOf(await environments.ready(id)).code).toBe('not-found')
      valueOf(await environments.remove(id, 'Production'))
      expect(own(environments.state().environments)).toEqual([])
    })

    it.each([
      ['another form', (text: string) => text.replace('"mode":', '"kind":')],
      ['damage', (text: string) => text.slice(0, -9)],
    ])('of %s is shown with its problem and never overwritten', async (_, changed) => {
      const { environments, environment, id, keychain, text } = await withEntry(changed)
      expect(environment).toMatchObject({ profile: null, problem: containing('damaged') })
      expect(failureOf(await environments.save(draft({ id }))).code).toBe('not-allowed')
      await environments.rememberIntegration(id, identifier)
      expect(keychain.entries.get(id)).toBe(text)
      valueOf(await environments.remove(id, environment!.name))
      expect(keychain.entries.has(id)).toBe(false)
    })
  })

  describe('without a keychain', () => {
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
      expect(own(environments.state().environments)).toMatchObject([
        { id, storage: 'keychain', profile: null },
      ])
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
    })
  })

  describe('the index', () => {
    it('that is damaged is set aside and said, and none is listed', async () => {
      const first = open()
      valueOf(await first.environments.save(draft()))
      writeFileSync(join(first.folder, 'environments.json'), '{"version":1,"environ')
      const setAside = vi.fn()
      const { environments } = open({ keychain: first.keychain, userDataFolder: first.folder, setAside })
      await environments.load()
      expect(own(environments.state().environments)).toEqual([])
      const [aside] = readdirSync(first.folder).filter((name) => name.includes('damaged'))
      expect(setAside.mock.calls).toEqual([[aside]])
      valueOf(await environments.save(draft()))
    })

    it("fails a save before the keychain is changed if it can't be written", async () => {
      const folder = temporaryFolder()
      const { environments, keychain } = open({ userDataFolder: join(folder, 'not-there') })
      expect(failureOf(await environments.save(draft()))).toMatchObject({ code: 'internal', retryable: true })
      expect(keychain.entries.size).toBe(0)
    })
  })

  describe('removing', () => {
    it('deletes the entry and the current one', async () => {
      const { environments, keychain } = open()
      const { id } = valueOf(await environments.save(draft()))
      valueOf(await environments.select(id))
      valueOf(await environments.remove(id, 'Production'))
      expect(keychain.entries.has(id)).toBe(false)
      expect(environments.state().currentEnvironmentId).toBe(builtInEnvironments.cloud.id)
      expect(failureOf(await environments.remove(id, 'Production')).code).toBe('not-found')
      expect(failureOf(await environments.select(id)).code).toBe('not-found')
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
  })
})

describe('their order', () => {
  async function withThree() {
    const opened = open()
    const ids: string[] = []
    for (const name of ['One', 'Two', 'Three'])
      ids.push(valueOf(await opened.environments.save(draft({ name }))).id)
    const names = (environments = opened.environments): string[] =>
      environments.state().environments.map(({ name }) => name)
    return { ...opened, ids, names }
  }

  it('loses no environment, whatever identifiers it is given', async () => {
    const { environments, ids, names } = await withThree()
    valueOf(await environments.reorder(['gone', ids[2]!, ids[2]!, 'built-in-cloud']))
    expect(names().slice(2)).toEqual(['Three', 'One', 'Two'])
  })
})
