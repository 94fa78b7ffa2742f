import {
  type CreateRequest,
  draftLimits,
  type DraftsPersistence,
  type DraftTemplate,
  fail,
  failure,
  isSecretMark,
  type StoredDraft,
  type NetworkSettings,
  type Outcome,
  secretLimits,
  succeed,
  systemNetwork,
} from '@contract'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDrafts, type Drafts } from '../../../../../electron/main/stored/drafts'
import { secretsPlaceOf, type ReadyEnvironment } from '../../../../../electron/main/environments/known'
import type { KeyRequest } from '../../../../../electron/main/processes/keychain'
import { bytesIn, stateIn, storedIn } from '../../../../support/main/state'
import { temporaryFolder } from '../../../../support/temporary-folder'

describe('stored drafts', () => {
  const secret = 'correct-horse-battery'
  const ids = [1, 2, 3].map((number) => `00000000-0000-4000-8000-00000000000${number}`)

  const draft = (id: string, name: string, value = ''): StoredDraft => ({
    id,
    content: {
      entered: { name, source: 'repohost', secrets: [{ name: 'KEY', value }] },
      alsoSent: ['image_uri'],
    },
    notes: null,
    sentAt: null,
  })

  const request = (value: string): CreateRequest => ({
    name: 'agent',
    source: 'repohost',
    source_config: {},
    source_revision_config: {},
    secrets: [{ name: 'KEY', value }],
  })

  /** An environment whose service is at `ID.example`. */
  function environment(
    id: string,
    changes: { name?: string; baseUrl?: string; headers?: Record<string, string> } = {},
    network: Partial<NetworkSettings> = {},
  ): ReadyEnvironment {
    const {
      name = `Environment ${id}`,
      baseUrl = `https://${id}.example`,
      headers = { 'X-Api-Key': 'k' },
    } = changes
    const target = { environmentId: id, baseUrl, headers, network: { ...systemNetwork, ...network } }
    return { id, name, mode: 'cloud', protected: false, readOnly: false, target }
  }

  let folder: string
  let key: Outcome<string>
  /** How the keychain returns the key. */
  let keyFor: () => Promise<Outcome<string>>
  /** The environments; any other is unknown. */
  let known: ReadyEnvironment[]
  let wishes: KeyRequest[]
  let said: DraftsPersistence[]
  const report = vi.fn()

  /** The drafts of a new start of the application; they are written when a test says so. */
  function start(pauseMs = 600_000, timeoutMs?: number, beforeWrite?: () => Promise<void>): Drafts {
    const state = stateIn(folder, {
      keyFor: (_account, wish) => {
        wishes.push(wish)
        return keyFor()
      },
      beforeWrite,
    })
    return createDrafts({
      state,
      placeOf: (id) => {
        const found = known.find((one) => one.id === id)
        return found ? secretsPlaceOf(found) : null
      },
      changed: (persistence) => said.push(persistence),
      report,
      pauseMs,
      timeoutMs,
    })
  }

  /** The identifiers of the rows on the disk. */
  const rows = (): string[] => storedIn(folder, 'drafts').map(([id]) => id)

  const names = async (drafts: Drafts, environmentId = 'a'): Promise<string[]> =>
    (await drafts.list(environmentId)).drafts.map(({ content }) => content.entered.name)

  /** The mark of the first secret of an environment's first draft. */
  const markIn = async (drafts: Drafts, environmentId = 'a'): Promise<string> =>
    (await drafts.list(environmentId)).drafts[0]!.content.entered.secrets[0]!.value

  /** What is sent in place of a mark, or the message at its field. */
  function sentFor(drafts: Drafts, mark: string, to = environment('a')): string {
    const filledIn = drafts.fillIn(request(mark), to)
    if (filledIn.ok) return filledIn.value.secrets[0]!.value
    const { code, sent, issues } = filledIn.failure
    expect({ code, sent }).toEqual({ code: 'invalid-input', sent: 'no' })
    return issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join()
  }

  beforeEach(() => {
    folder = temporaryFolder()
    key = succeed('ab'.repeat(32))
    keyFor = () => Promise.resolve(key)
    known = [environment('a'), environment('b')]
    wishes = []
    said = []
    report.mockReset()
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  describe('drafts', () => {
    it('survive a restart, each with its environment, with marks in place of secret values', async () => {
      const first = start()
      first.save('a', draft(ids[0]!, 'one', secret), true)
      first.save('b', draft(ids[1]!, 'two'), true)
      await first.flush()

      const again = start()
      const listed = await again.list('a')
      expect(JSON.stringify(listed)).not.toContain(secret)
      expect(listed).toMatchObject({ currentId: ids[0], persistence: { storage: 'disk', message: null } })
      expect(listed.drafts).toHaveLength(1)
      const { content } = listed.drafts[0]!
      expect(content).toMatchObject({ entered: { name: 'one', source: 'repohost' }, alsoSent: ['image_uri'] })
      const mark = content.entered.secrets[0]!.value
      expect(isSecretMark(mark)).toBe(true)
      expect(await again.fillIn(request(mark), environment('a'))).toEqual(succeed(request(secret)))
      expect(await names(again, 'b')).toEqual(['two'])
      expect(bytesIn(folder)).not.toContain(secret)
      expect(bytesIn(folder)).not.toContain('repohost')
    })

    it('keep a value that comes back as its mark, even in another environment and once the first is gone', async () => {
      const first = start()
      first.save('a', draft(ids[0]!, 'one', secret), true)
      await first.flush()
      const second = start()
      const mark = await markIn(second)
      second.save('a', draft(ids[0]!, 'renamed', mark), true)
      second.save('b', draft(ids[1]!, 'copy', mark), true)
      second.remove('a', ids[0]!)
      await second.flush()

      const third = start()
      expect(await names(third)).toEqual([])
      const copied = await markIn(third, 'b')
      expect(copied).toBe(mark)
      expect(sentFor(third, copied), 'where it was entered for').toBe(secret)
    })

    it('forget a secret with the last draft that has it', async () => {
      const first = start()
      first.save('a', draft(ids[0]!, 'one', secret), true)
      await first.flush()
      const again = start()
      const mark = await markIn(again)
      again.remove('a', ids[0]!)
      expect(sentFor(again, mark)).toBe(
        'secrets.0.value: Enter this value again: its value is no longer stored.',
      )
      again.save('a', draft(ids[1]!, 'two', mark), true)
      expect(await markIn(again), 'a mark that stands for nothing').toBe('')
      again.save('a', draft(ids[1]!, 'two', secret), true)
      const replaced = await markIn(again)
      again.save('a', draft(ids[1]!, 'two', 'another'), true)
      expect(sentFor(again, replaced)).toContain('no longer stored')
      expect(sentFor(again, await markIn(again))).toBe('another')
      again.forget('a')
      await again.flush()
      expect(rows()).toEqual([])
    })

    it('are written soon after a change, without a call', async () => {
      start(1).save('a', draft(ids[0]!, 'one'), true)
      await expect.poll(rows, { timeout: 10_000 }).toEqual([`draft ${ids[0]} a`, 'current a'])
    })

    it('are removed with their environment, even before they can be read', async () => {
      const first = start()
      first.save('a', draft(ids[0]!, 'one'), true)
      first.save('b', draft(ids[1]!, 'two'), true)
      await first.flush()
      const unlocked = key
      key = fail(failure('keychain-locked', 'The keychain is locked.'))
      const locked = start()
      await locked.list('a')
      locked.forget('a')
      key = unlocked
      await locked.retry(true)
      const again = start()
      expect(await names(again)).toEqual([])
      expect(await names(again, 'b')).toEqual(['two'])
    })
  })

  describe('a stored value', () => {
    const pem = '-----BEGIN CERTIFICATE-----'
    const certificate = (digit: string) => ({
      subject: 's',
      issuer: 'i',
      validFrom: '2026-01-01T00:00:00.000Z',
      validTo: '2027-01-01T00:00:00.000Z',
      fingerprint: Array(32).fill(`A${digit}`).join(':'),
    })
    const changed = 'the server, account, certificate rule or proxy of the environment has changed'
    const proxy = { mode: 'manual' as const, host: 'proxy.example', port: 3128 }
    const credentials = { userName: 'ann', password: 'p' }

    /** A draft in an environment as it is now, and the drafts after the next start. */
    async function restarted(entered: ReadyEnvironment): Promise<Drafts> {
      known = [entered]
      const first = start()
      first.save(entered.id, draft(ids[0]!, 'one', secret), true)
      await first.flush()
      return start()
    }

    it.each<[string, ReadyEnvironment, ReadyEnvironment]>([
      ['another path', environment('a'), environment('a', { baseUrl: 'https://a.example/prefix' })],
      ['another name', environment('a'), environment('a', { name: 'Renamed' })],
      [
        'another sign-in at the same proxy',
        environment('a', {}, { proxy: { ...proxy, credentials } }),
        environment('a', {}, { proxy: { ...proxy, host: 'Proxy.example', credentials: null } }),
      ],
      [
        'another port of a built-in service',
        environment('built-in-cloud', { baseUrl: 'http://127.0.0.1:1' }),
        environment('built-in-cloud', { baseUrl: 'http://127.0.0.1:2', headers: { 'X-Api-Key': 'new' } }),
      ],
    ])('is sent to what it was entered for: %s', async (_what, entered, now) => {
      const drafts = await restarted(entered)
      expect(sentFor(drafts, await markIn(drafts, entered.id), now)).toBe(secret)
    })

    it.each<[string, ReadyEnvironment, ReadyEnvironment, string]>([
      [
        'another environment at the same service',
        environment('a'),
        environment('b', { baseUrl: 'https://a.example' }),
        'it was entered for another environment',
      ],
      [
        'a built-in environment',
        environment('a'),
        environment('built-in-cloud'),
        'it was entered for another environment',
      ],
      ['another origin', environment('a'), environment('a', { baseUrl: 'http://a.example' }), changed],
      [
        'another tenant',
        environment('a', { headers: { 'X-Tenant-Id': 'one' } }),
        environment('a', { headers: { 'X-Tenant-Id': 'other' } }),
        changed,
      ],
      [
        'another certificate',
        environment('a', {}, { trust: { kind: 'exact', certificate: certificate('0') } }),
        environment('a', {}, { trust: { kind: 'exact', certificate: certificate('1') } }),
        changed,
      ],
      [
        'another authority',
        environment('a'),
        environment('a', {}, { trust: { kind: 'authority', pem } }),
        changed,
      ],
      [
        'another proxy',
        environment('a'),
        environment('a', {}, { proxy: { ...proxy, credentials: null } }),
        changed,
      ],
      [
        'another account',
        environment('a'),
        environment('a', { headers: { 'X-Api-Key': "somebody else's" } }),
        changed,
      ],
    ])('is sent nowhere else: %s', async (_what, entered, now, why) => {
      const drafts = await restarted(entered)
      const mark = await markIn(drafts)
      const said = `secrets.0.value: Enter this value again: ${why}.`
      expect(sentFor(drafts, mark, now)).toBe(said)
      expect(sentFor(drafts, mark, entered), 'where it was entered for').toBe(secret)
    })

    it.each<[string, number, number]>([
      ['one that is too long', secretLimits.valueLength + 1, 1],
      ['one that is there too often', secretLimits.valueLength, 9],
    ])('is never more than a request may have: %s', async (_what, length, count) => {
      const drafts = start()
      drafts.save('a', draft(ids[0]!, 'one', 'x'.repeat(length)), true)
      const mark = await markIn(drafts)
      const secrets = Array.from({ length: count }, (_, index) => ({ name: `KEY_${index}`, value: mark }))
      const outcome = drafts.fillIn({ ...request(mark), secrets }, environment('a'))
      expect(outcome).toMatchObject({ failure: { code: 'invalid-input', sent: 'no' } })
      expect(outcome.ok ? [] : outcome.failure.issues).toHaveLength(1)
    })

    it('is asked for again if it is unknown what it was entered for, or if its draft has lost it', async () => {
      const drafts = start()
      drafts.save('elsewhere', draft(ids[0]!, 'one', secret), true)
      const mark = await markIn(drafts, 'elsewhere')
      expect(sentFor(drafts, mark, environment('elsewhere'))).toContain("Slipway doesn't know")
      drafts.save('elsewhere', draft(ids[0]!, 'one', ''), true)
      expect(sentFor(drafts, mark, environment('elsewhere'))).toContain('no longer stored')
    })

    it('has a mark of its own, so that nothing shows which values are equal', async () => {
      const drafts = start()
      drafts.save('a', draft(ids[0]!, 'one', secret), true)
      const mark = await markIn(drafts)
      drafts.save('b', draft(ids[1]!, 'guess', secret), true)
      expect(await markIn(drafts, 'b')).not.toBe(mark)
      drafts.save('a', draft(ids[0]!, 'guess', secret), true)
      expect(await markIn(drafts)).not.toBe(mark)
    })
  })

  describe('templates', () => {
    it('are kept per environment without values of secrets', async () => {
      const first = start()
      const { content } = draft(ids[0]!, '', secret)
      first.saveTemplate('a', { id: ids[0]!, name: 'Agents', content })
      first.saveTemplate('a', { id: ids[1]!, name: 'Other', content })
      first.saveTemplate('a', { id: ids[0]!, name: 'Renamed', content })
      first.removeTemplate('a', ids[1]!)
      await first.flush()
      const { templates } = await start().list('a')
      expect(templates).toMatchObject([
        { name: 'Renamed', content: { entered: { secrets: [{ name: 'KEY', value: '' }] } } },
      ])
    })
  })

  describe('without a keychain', () => {
    it('what was entered while it was locked is added to what was stored, and nothing is overwritten', async () => {
      const first = start()
      first.save('a', draft(ids[0]!, 'before', secret), true)
      await first.flush()
      const before = rows()
      const unlocked = key
      key = fail(failure('keychain-locked', 'The keychain is locked.'))
      const drafts = start()
      expect(await names(drafts)).toEqual([])
      drafts.save('a', draft(ids[1]!, 'meanwhile'), true)
      await drafts.flush()
      expect(said.at(-1)).toMatchObject({ storage: 'waiting' })
      expect(rows()).toEqual(before)
      // A locked keychain is called once, not with every change: each call may ask the operator for a password.
      drafts.save('a', draft(ids[1]!, 'meanwhile'), true)
      await drafts.flush()
      expect(wishes).toHaveLength(2)

      key = unlocked
      expect(await drafts.retry(true)).toMatchObject({ storage: 'disk', message: null })
      expect(wishes.at(-1)).toEqual({ stored: true, byOperator: true })
      expect(await names(drafts)).toEqual(['before', 'meanwhile'])
      expect(await names(start())).toEqual(['before', 'meanwhile'])
    })
  })

  describe('while the keychain does not answer', () => {
    const timeoutMs = 20

    /** Drafts whose keychain answers when `answers` is called. */
    function startSilent(): { drafts: Drafts; answers: () => void } {
      let answers: () => void = () => undefined
      const silence = new Promise<void>((resolve) => (answers = resolve))
      keyFor = async () => {
        await silence
        return key
      }
      return { drafts: start(0, timeoutMs), answers }
    }

    it('drafts are reported as waiting, even the very first one, and are written once it does', async () => {
      const { drafts, answers } = startSilent()
      expect(drafts.save('a', draft(ids[0]!, 'first'), true)).toMatchObject({ value: { storage: 'disk' } })
      await vi.waitFor(() => expect(said.at(-1)).toMatchObject({ storage: 'waiting' }))
      expect(said.at(-1)?.message).toMatch(/^The keychain hasn't answered\. .*kept in memory only/)
      expect((await drafts.list('a')).persistence).toEqual(said.at(-1))
      expect(drafts.save('a', draft(ids[1]!, 'second'), true)).toEqual(succeed(said.at(-1)))

      answers()
      await vi.waitFor(() => expect(said.at(-1)).toMatchObject({ storage: 'disk', message: null }))
      await drafts.flush()
      keyFor = () => Promise.resolve(key)
      expect(await names(start())).toEqual(['first', 'second'])
    })
  })

  it('a quit waits for what is being written, even if nothing has changed since', async () => {
    let begin: () => void = () => undefined
    let goOn: () => void = () => undefined
    const begun = new Promise<void>((resolve) => (begin = resolve))
    const slow = new Promise<void>((resolve) => (goOn = resolve))
    const drafts = start(0, undefined, async () => {
      begin()
      await slow
    })
    drafts.save('a', draft(ids[0]!, 'one'), true)
    await begun
    const flushed = vi.fn()
    const flushing = drafts.flush().then(flushed)
    await new Promise((resolve) => setImmediate(resolve))
    expect(flushed).not.toHaveBeenCalled()
    goOn()
    await flushing
    expect(await names(start())).toEqual(['one'])
  })

  describe('what a page may store', () => {
    const many = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
    const template = (id: string, text = ''): DraftTemplate => ({
      id,
      name: 'template',
      content: { entered: { name: text, secrets: [] } },
    })
    const problem = (outcome: Outcome<unknown>): string | null =>
      outcome.ok ? null : outcome.failure.message

    it('is a limited number of drafts and templates in each environment; existing ones can be changed', async () => {
      const drafts = start()
      for (let index = 0; index < draftLimits.drafts; index += 1) {
        expect(problem(drafts.save('a', draft(many(index), `draft ${index}`), true))).toBeNull()
        expect(problem(drafts.saveTemplate('a', template(many(index))))).toBeNull()
      }
      expect(problem(drafts.save('a', draft(many(999), 'one more'), true))).toContain('200 drafts already')
      expect(problem(drafts.saveTemplate('a', template(many(999))))).toContain('200 templates already')
      expect(problem(drafts.save('a', draft(many(0), 'renamed'), true))).toBeNull()
      expect(problem(drafts.save('b', draft(many(999), 'elsewhere'), true))).toBeNull()
      const listed = await drafts.list('a')
      expect([listed.drafts.length, listed.templates.length, listed.currentId]).toEqual([200, 200, many(0)])
      expect((await names(drafts))[0]).toBe('renamed')
    })

    it('is limited in the size of a draft and of all together, even over invented environments', async () => {
      const drafts = start()
      drafts.save('a', draft(ids[0]!, 'small', secret), true)
      const large = draft(ids[0]!, 'x'.repeat(draftLimits.bytes))
      expect(problem(drafts.save('a', large, true))).toContain('too large')
      expect(await names(drafts), 'what was kept before stays').toEqual(['small'])
      const half = 'x'.repeat(draftLimits.bytes / 2)
      const results = Array.from({ length: 100 }, (_, index) =>
        problem(drafts.save(`made-up-${index}`, draft(many(index), half), false)),
      )
      // Their file is written in one go, which may not block the main process noticeably.
      expect(results.filter((one) => one === null).length).toBeLessThanOrEqual(4)
      expect(results.at(-1)).toContain('too much space')
      expect(problem(drafts.saveTemplate('a', template(ids[1]!, half)))).toContain('too much space')
      drafts.forget('made-up-0')
      expect(problem(drafts.saveTemplate('a', template(ids[1]!, half)))).toBeNull()
    })

    it.each<[string, (drafts: Drafts) => void]>([
      ['is discarded', (drafts) => drafts.remove('a', ids[0]!)],
      ['goes with its environment', (drafts) => drafts.forget('a')],
      ['has other values', (drafts) => drafts.save('a', draft(ids[0]!, 'one', 'b'), true)],
    ])('has no values in memory any more once it %s', async (_what, act) => {
      const drafts = start()
      drafts.save('a', draft(ids[0]!, 'one', secret), true)
      const mark = await markIn(drafts)
      act(drafts)
      expect(sentFor(drafts, mark)).toContain('no longer stored')
    })
  })
})
