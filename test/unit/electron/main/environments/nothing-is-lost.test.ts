import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Outcome } from '@contract'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createEnvironments, type Environments } from '../../../../../electron/main/environments'
import {
  type Accident,
  draft,
  FakeHttp,
  fakeBuiltIn,
  FakeKeychain,
} from '../../../../support/main/environments'

/** A fault of the keychain during a call, `after` a number of calls. */
interface Mishap {
  after: number
  kind: Accident
  /** Whether the keychain is locked after a restart of the computer, as before a login. */
  lockedAfter: boolean
}

type Step =
  | { do: 'save'; who: number; baseUrl: number; mishap: Mishap | null }
  | { do: 'remove' | 'remember'; who: number; mishap: Mishap | null }
  | { do: 'restart' | 'retry'; mishap: Mishap | null }
  | { do: 'lock' | 'unlock' | 'lose' | 'find' }

const who = fc.nat(2)
const mishap = fc.option(
  fc.record<Mishap>({
    after: fc.nat(4),
    kind: fc.constantFrom('hangs-before', 'hangs-after', 'fails-before', 'fails-after'),
    lockedAfter: fc.boolean(),
  }),
)
const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('save' as const), who, baseUrl: fc.nat(9), mishap }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('remove' as const, 'remember' as const), who, mishap }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('restart' as const, 'retry' as const), mishap }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('lock' as const, 'unlock' as const, 'lose' as const, 'find' as const),
    }),
  },
)

const names = ['Production', 'Staging', 'Test', 'Laboratory']
const urlOf = (number: number): string => `https://${number}.example.com`
const integration = 'd7b1ad9e-36f7-4b1e-9f55-0c8f6f1b7a10'

/** What the operator may rely on for a name: the base URLs that may be stored, and whether it may be gone. */
interface Expected {
  id: string
  urls: Set<string>
  mayBeGone: boolean
}

/**
 * One operator, whose computer crashes during a call to the keychain if a fault makes it hang. The running work never
 * continues, and the application is restarted with the files and the keychain as they are.
 */
class User {
  private readonly folder = mkdtempSync(join(tmpdir(), 'slipway-environments-'))
  private keychain = new FakeKeychain()
  private environments: Environments
  private lockedAfter = false
  private readonly expected = new Map<string, Expected>()

  constructor() {
    this.environments = this.start()
  }

  async take(step: Step): Promise<void> {
    if ('mishap' in step && step.mishap) {
      this.keychain.accident = { ...step.mishap }
      this.lockedAfter = step.mishap.lockedAfter
    }
    switch (step.do) {
      case 'save':
        return this.save(names[step.who]!, urlOf(step.baseUrl))
      case 'remove':
        return this.remove(names[step.who]!)
      case 'remember': {
        const id = this.idOf(names[step.who]!)
        if (id) await this.orCrash(this.environments.rememberIntegration(id, integration))
        return
      }
      case 'lock':
      case 'unlock':
      case 'lose':
      case 'find':
        this.keychain.state = { lock: 'locked', unlock: 'open', lose: 'missing', find: 'open' }[step.do] as
          | 'locked'
          | 'open'
          | 'missing'
        return
      case 'restart':
        await this.environments.close()
        return this.restart()
      case 'retry':
        await this.orCrash(this.environments.retryKeychain())
        return
    }
  }

  /** Saved environments are listed, whatever the state of the keychain. */
  expectListed(): void {
    const listed = this.environments.state().environments.map(({ id }) => id)
    for (const { id, mayBeGone } of this.expected.values()) if (!mayBeGone) expect(listed).toContain(id)
  }

  /** Once everything works again, saved environments are as they were saved, and none twice. */
  async expectAll(): Promise<void> {
    this.keychain.state = 'open'
    this.keychain.accident = null
    await this.restart()
    await this.environments.retryKeychain()
    const { environments, keychain } = this.environments.state()
    expect(keychain.state).toBe('available')
    for (const [name, { id, urls, mayBeGone }] of this.expected) {
      const found = environments.find((environment) => environment.id === id)
      if (!found && mayBeGone) continue
      if (found?.profile === null && mayBeGone) continue
      expect(found).toMatchObject({ name, storage: 'keychain', problem: null })
      expect(urls).toContain(found?.profile?.baseUrl)
    }
    const listed = environments.map(({ name }) => name.toLowerCase())
    expect(new Set(listed).size).toBe(listed.length)
  }

  async end(): Promise<void> {
    await this.environments.close()
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }

  private async save(name: string, baseUrl: string): Promise<void> {
    const id = this.idOf(name) ?? null
    const known = this.expected.get(name)
    if (known) known.urls.add(baseUrl)
    const outcome = await this.orCrash(this.environments.save(draft({ id, name, baseUrl })))
    if (!outcome?.ok || outcome.value.storage !== 'keychain') return
    this.expected.set(name, { id: outcome.value.id, urls: new Set([baseUrl]), mayBeGone: false })
  }

  private async remove(name: string): Promise<void> {
    const id = this.idOf(name)
    if (!id) return
    const known = this.expected.get(name)
    const before = known?.mayBeGone ?? true
    if (known) known.mayBeGone = true
    const outcome = await this.orCrash(this.environments.remove(id, name))
    if (outcome?.ok) this.expected.delete(name)
    // A plain refusal has changed nothing.
    else if (known && outcome && outcome.failure.code !== 'keychain-unresponsive') known.mayBeGone = before
  }

  private idOf(name: string): string | undefined {
    return this.environments.state().environments.find((environment) => environment.name === name)?.id
  }

  /** The result of a call; undefined if the computer crashed during it. */
  private async orCrash<Value>(call: Promise<Value>): Promise<Value | undefined> {
    const crash = new Promise<undefined>((resolve) => (this.keychain.onHang = () => resolve(undefined)))
    const outcome = await Promise.race([call, crash])
    if (outcome === undefined && this.keychain.hangs) {
      if (this.lockedAfter) this.keychain.state = 'locked'
      await this.restart()
    }
    return outcome
  }

  private async restart(): Promise<void> {
    const { entries, state, accident } = this.keychain
    this.keychain = new FakeKeychain()
    Object.assign(this.keychain, { entries, state, accident })
    this.environments = this.start()
    await this.orCrash(this.environments.load().then((): Outcome<null> => ({ ok: true, value: null })))
  }

  private start(): Environments {
    return createEnvironments({
      keychain: this.keychain,
      builtIn: fakeBuiltIn(),
      http: new FakeHttp(),
      refusals: { find: () => null },
      ask: () => Promise.resolve(false),
      userDataFolder: this.folder,
      timeoutMs: 60_000,
    })
  }
}

it('loses no stored profile, whatever happens in any order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(stepArbitrary, { minLength: 1, maxLength: 15 }), async (steps) => {
      const user = new User()
      try {
        for (const step of steps) {
          await user.take(step)
          user.expectListed()
        }
        await user.expectAll()
      } finally {
        await user.end()
      }
    }),
    {
      // A crash after the entry was written, and the same save refused before the keychain was unlocked again.
      examples: [
        [
          [
            { do: 'save', who: 1, baseUrl: 0, mishap: null },
            { do: 'save', who: 0, baseUrl: 0, mishap: { after: 0, kind: 'hangs-after', lockedAfter: true } },
            { do: 'save', who: 0, baseUrl: 0, mishap: null },
          ],
        ],
      ],
    },
  )
})
