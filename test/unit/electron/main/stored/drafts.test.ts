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
  type SavedDraft,
  secretLimits,
  succeed,
  systemNetwork,
  type SecretsPlace,
} from '@contract'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDrafts, type Drafts } from '../../../../../electron/main/stored/drafts'
import {
  type SecretsQuestion,
  isShownWhole,
  confirmSecretsBy,
} from '../../../../../electron/main/stored/drafts/secrets'
import type { ReadyEnvironment } from '../../../../../electron/main/environments/types'
import { secretsPlaceOf } from '../../../../../electron/main/environments/stored-secrets'
import type { KeyRequest } from '../../../../../electron/main/processes/keychain/file-keys'
import { bytesIn, stateIn, storedIn } from '../../../../support/main/state'
import { temporaryFolder } from '../../../../support/temporary-folder'
import type { Question } from '../../../../../electron/main/window/question-text'

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
  let questions: SecretsQuestion[]
  let answer: boolean | null
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
      confirm: (question) => {
        questions.push(question)
        return Promise.resolve(answer)
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
  async function sentFor(drafts: Drafts, mark: string, to = environment('a')): Promise<string> {
    const filledIn = await drafts.fillIn(request(mark), to)
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
    questions = []
    answer = false
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
      expect(questions).toEqual([])
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
      expect(await sentFor(third, copied), 'where it was entered for').toBe(secret)
    })

    it('forget a secret with the last draft that has it', async () => {
      const first = start()
      first.save('a', draft(ids[0]!, 'one', secret), true)
      await first.flush()
      const again = start()
      const mark = await markIn(again)
      again.remove('a', ids[0]!)
      expect(await sentFor(again, mark)).toBe(
        'secrets.0.value: Enter this value again: its value is no longer stored.',
      )
      again.save('a', draft(ids[1]!, 'two', mark), true)
      expect(await markIn(again), 'a mark that stands for nothing').toBe('')
      again.save('a', draft(ids[1]!, 'two', secret), true)
      const replaced = await markIn(again)
      again.save('a', draft(ids[1]!, 'two', 'another'), true)
      expect(await sentFor(again, replaced)).toContain('no longer stored')
      expect(await sentFor(again, await markIn(again))).toBe('another')
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
      expect(await sentFor(drafts, await markIn(drafts, entered.id), now)).toBe(secret)
      expect(questions).toEqual([])
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
      [
        'another origin',
        environment('a'),
        environment('a', { baseUrl: 'http://a.example' }),
        'the base URL now leads to another server',
      ],
      [
        'another tenant',
        environment('a', { headers: { 'X-Tenant-Id': 'one' } }),
        environment('a', { headers: { 'X-Tenant-Id': 'other' } }),
        'the tenant (X-Tenant-Id) has changed',
      ],
      [
        'another certificate',
        environment('a', {}, { trust: { kind: 'exact', certificate: certificate('0') } }),
        environment('a', {}, { trust: { kind: 'exact', certificate: certificate('1') } }),
        'the service may now show another certificate',
      ],
      [
        'another authority',
        environment('a'),
        environment('a', {}, { trust: { kind: 'authority', pem } }),
        'the service may now show another certificate',
      ],
      [
        'another proxy',
        environment('a'),
        environment('a', {}, { proxy: { ...proxy, credentials: null } }),
        'requests now go through another proxy',
      ],
      [
        'another account',
        environment('a'),
        environment('a', { headers: { 'X-Api-Key': "somebody else's" } }),
        "the environment's request headers have changed",
      ],
    ])('is sent nowhere else if the operator says no: %s', async (_what, entered, now, why) => {
      const drafts = await restarted(entered)
      const mark = await markIn(drafts)
      const said = `secrets.0.value: Enter this value again: ${why}.`
      expect(await sentFor(drafts, mark, now)).toBe(said)
      const [from, to] = [secretsPlaceOf(entered), secretsPlaceOf(now)]
      expect(questions).toEqual([
        { deploymentName: 'agent', to, secrets: [{ name: 'KEY', from }], others: [] },
      ])
      expect(await sentFor(drafts, mark, now), 'asked once').toBe(said)
      expect(questions).toHaveLength(1)
      expect(await sentFor(drafts, mark, entered), 'where it was entered for').toBe(secret)
    })

    it('goes where the operator agrees to, even after a restart, and nowhere else', async () => {
      const drafts = await restarted(environment('a'))
      const mark = await markIn(drafts)
      answer = true
      expect(await sentFor(drafts, mark, environment('b'))).toBe(secret)
      expect(await sentFor(drafts, mark, environment('b'))).toBe(secret)
      expect(questions).toHaveLength(1)
      await drafts.flush()

      answer = false
      const again = start()
      await again.open()
      expect(await sentFor(again, mark, environment('a'))).toBe(secret)
      expect(await sentFor(again, mark, environment('b'))).toBe(secret)
      expect(questions).toHaveLength(1)
      expect(await sentFor(again, mark, environment('c'))).toContain('another environment')
      expect(questions).toHaveLength(2)
    })

    it('is asked about again if another dialog was open, or one was just declined', async () => {
      const drafts = await restarted(environment('a'))
      const mark = await markIn(drafts)
      answer = null
      const busy = await drafts.fillIn(request(mark), environment('b'))
      const advice = expect.stringContaining('Answer the dialog, or wait') as string
      expect(busy).toMatchObject({ ok: false, failure: { sent: 'no', advice } })
      answer = true
      expect(await sentFor(drafts, mark, environment('b'))).toBe(secret)
    })

    it('is asked about again for another destination after a no', async () => {
      const drafts = await restarted(environment('a'))
      const mark = await markIn(drafts)
      await sentFor(drafts, mark, environment('b'))
      answer = true
      const declined = await drafts.fillIn(request(mark), environment('b'))
      expect(declined).toMatchObject({ failure: { advice: expect.stringContaining('restart') as string } })
      expect(questions).toHaveLength(1)
      expect(await sentFor(drafts, mark, environment('c'))).toBe(secret)
      expect(questions).toHaveLength(2)
    })

    it('is not sent with more values than one question can name', async () => {
      const drafts = await restarted(environment('a'))
      const mark = await markIn(drafts)
      answer = true
      const many = (count: number): CreateRequest => ({
        ...request(mark),
        secrets: Array.from({ length: count }, (_, index) => ({ name: `KEY_${index}`, value: mark })),
      })
      expect(await drafts.fillIn(many(41), environment('b'))).toMatchObject({
        failure: { code: 'invalid-input', sent: 'no' },
      })
      expect(questions).toEqual([])
      expect(await drafts.fillIn(many(40), environment('b'))).toMatchObject({ ok: true })
      expect(questions[0]!.secrets).toHaveLength(40)
    })

    it.each<[string, number, number]>([
      ['one that is too long', secretLimits.valueLength + 1, 1],
      ['one that is there too often', secretLimits.valueLength, 9],
    ])('is never more than a request may have: %s', async (_what, length, count) => {
      const drafts = start()
      drafts.save('a', draft(ids[0]!, 'one', 'x'.repeat(length)), true)
      const mark = await markIn(drafts)
      const secrets = Array.from({ length: count }, (_, index) => ({ name: `KEY_${index}`, value: mark }))
      const outcome = await drafts.fillIn({ ...request(mark), secrets }, environment('b'))
      expect(outcome).toMatchObject({ failure: { code: 'invalid-input', sent: 'no' } })
      expect(outcome.ok ? [] : outcome.failure.issues).toHaveLength(1)
      expect(questions).toEqual([])
    })

    it('gets its mark when the page sends it, even if it is unknown what it was entered for', async () => {
      const drafts = start()
      const marksOf = (id: string, value: string): string[] =>
        drafts.save(id, draft(ids[0]!, 'one', value), true).marks
      const [mark] = marksOf('a', secret)
      expect(isSecretMark(mark!)).toBe(true)
      expect(marksOf('a', mark!)).toEqual([mark])
      expect(marksOf('a', '')).toEqual([''])
      const [unknown] = marksOf('elsewhere', secret)
      expect(await sentFor(drafts, unknown!, environment('elsewhere'))).toContain("Slipway doesn't know")
      marksOf('elsewhere', '')
      expect(marksOf('elsewhere', unknown!), 'stays what is sent, so that its value is asked for').toEqual([
        unknown,
      ])
      expect(await sentFor(drafts, unknown!, environment('elsewhere'))).toContain('no longer stored')
    })

    it('is asked about by the name it was entered with, and only with the others that were not entered for it', async () => {
      const drafts = await restarted(environment('a'))
      const mark = await markIn(drafts)
      drafts.save('a', { ...draft(ids[0]!, 'one', mark) }, true)
      answer = true
      const { name, source, source_config, source_revision_config } = request('')
      const secrets = [
        { name: 'HARMLESS', value: mark },
        { name: 'NEW', value: 'entered now' },
      ]
      const outcome = await drafts.fillIn(
        { name, source, source_config, source_revision_config, secrets },
        environment('b'),
      )
      expect(outcome).toMatchObject({
        value: { secrets: [{ name: 'HARMLESS', value: secret }, { value: 'entered now' }] },
      })
      expect(questions).toMatchObject([{ secrets: [{ name: 'KEY' }] }])
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

    it('that was entered in an unknown environment goes nowhere without a question', async () => {
      known = []
      const drafts = start()
      drafts.save('a', draft(ids[0]!, 'one', secret), true)
      expect(await sentFor(drafts, await markIn(drafts))).toContain(
        "Slipway doesn't know what it was entered for",
      )
      expect(questions).toMatchObject([{ secrets: [{ from: null }] }])
    })

    describe('of other drafts of its environment', () => {
      const moved = environment('a', {}, { trust: { kind: 'exact', certificate: certificate('1') } })

      /** Drafts with one secret each, by name and what it was entered for; returns their marks. */
      const entered = (drafts: Drafts, secrets: [string, ReadyEnvironment][]): string[] =>
        secrets.map(([name, place], index) => {
          known = [place]
          const { content, ...rest } = draft(
            `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
            name,
          )
          const with_ = { entered: { ...content.entered, secrets: [{ name, value: `value of ${name}` }] } }
          return drafts.save(place.id, { ...rest, content: with_ }, true).marks[0]!
        })

      it('needs no question of its own if the same has changed since, even after a restart', async () => {
        answer = true
        const drafts = start()
        const before = environment('a', {}, { trust: { kind: 'exact', certificate: certificate('0') } })
        const [one, two, account, elsewhere] = entered(drafts, [
          ['ONE', before],
          ['TWO', before],
          ['ACCOUNT', environment('a', { headers: { 'X-Api-Key': 'of another' } })],
          ['ELSEWHERE', environment('b')],
        ])
        expect(await sentFor(drafts, one!, moved)).toBe('value of ONE')
        expect(questions).toMatchObject([{ secrets: [{ name: 'ONE' }], others: ['TWO'] }])
        expect(await sentFor(drafts, two!, moved)).toBe('value of TWO')
        await drafts.flush()
        const again = start()
        await again.open()
        expect(await sentFor(again, two!, moved)).toBe('value of TWO')
        expect(questions).toHaveLength(1)

        expect(await sentFor(again, account!, moved)).toBe('value of ACCOUNT')
        expect(await sentFor(again, elsewhere!, moved)).toBe('value of ELSEWHERE')
        expect(await sentFor(again, two!, environment('a', { baseUrl: 'https://third.example' }))).toBe(
          'value of TWO',
        )
        expect(questions.map(({ secrets, others }) => [secrets[0]!.name, others])).toEqual([
          ['ONE', ['TWO']],
          ['ACCOUNT', []],
          ['ELSEWHERE', []],
          ['TWO', ['ONE']],
        ])
      })

      it('is asked about by itself after a no, which a yes to another one does not change', async () => {
        const drafts = start()
        const [one, two] = entered(drafts, [
          ['ONE', environment('a')],
          ['TWO', environment('a')],
        ])
        expect(await sentFor(drafts, one!, moved)).toContain('another certificate')
        answer = true
        expect(await sentFor(drafts, two!, moved)).toBe('value of TWO')
        expect(await sentFor(drafts, one!, moved)).toContain('another certificate')
        expect(questions).toMatchObject([{ others: ['TWO'] }, { secrets: [{ name: 'TWO' }], others: [] }])
      })

      it('is asked about by itself if it goes to another environment', async () => {
        answer = true
        const drafts = start()
        const [one, two] = entered(drafts, [
          ['ONE', environment('a')],
          ['TWO', environment('a')],
        ])
        await sentFor(drafts, one!, environment('b'))
        await sentFor(drafts, two!, environment('b'))
        expect(questions).toMatchObject([{ others: [] }, { others: [] }])
      })

      it('is not sent if the question would not fit on a screen, and others are asked about by themselves', async () => {
        answer = true
        const drafts = start()
        const longName = (index: number): string => `${index}`.padEnd(60, 'x')
        const marks = entered(
          drafts,
          Array.from({ length: 20 }, (_, index) => [longName(index), environment('a')]),
        )
        const secrets = marks.map((value, index) => ({ name: longName(index), value }))
        expect(await drafts.fillIn({ ...request(marks[0]!), secrets }, environment('b'))).toMatchObject({
          failure: { code: 'invalid-input', sent: 'no' },
        })
        expect(questions).toEqual([])
        await drafts.fillIn(request(marks[0]!), moved)
        expect(questions).toMatchObject([{ secrets: [{ name: longName(0) }], others: [] }])
      })
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
      expect(drafts.save('a', draft(ids[0]!, 'first'), true).persistence).toMatchObject({ storage: 'disk' })
      await vi.waitFor(() => expect(said.at(-1)).toMatchObject({ storage: 'waiting' }))
      expect(said.at(-1)?.message).toMatch(/^The keychain hasn't answered\. .*kept in memory only/)
      expect((await drafts.list('a')).persistence).toEqual(said.at(-1))
      expect(drafts.save('a', draft(ids[1]!, 'second'), true).persistence).toEqual(said.at(-1))

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
    /** The message about a draft that is not stored; null if it is. */
    const refusal = ({ persistence }: SavedDraft): string | null =>
      persistence.storage === 'session' ? persistence.message : null

    it('is a limited number of drafts and templates in each environment; existing ones can be changed', async () => {
      const drafts = start()
      for (let index = 0; index < draftLimits.drafts; index += 1) {
        expect(refusal(drafts.save('a', draft(many(index), `draft ${index}`), true))).toBeNull()
        expect(problem(drafts.saveTemplate('a', template(many(index))))).toBeNull()
      }
      expect(refusal(drafts.save('a', draft(many(999), 'one more'), true))).toContain('200 drafts already')
      expect(problem(drafts.saveTemplate('a', template(many(999))))).toContain('200 templates already')
      expect(refusal(drafts.save('a', draft(many(0), 'renamed'), true))).toBeNull()
      expect(refusal(drafts.save('b', draft(many(999), 'elsewhere'), true))).toBeNull()
      const listed = await drafts.list('a')
      expect([listed.drafts.length, listed.templates.length, listed.currentId]).toEqual([200, 200, many(0)])
      expect((await names(drafts))[0]).toBe('renamed')
    })

    it('is limited in the size of a draft and of all together, even over invented environments', async () => {
      const drafts = start()
      drafts.save('a', draft(ids[0]!, 'small', secret), true)
      const large = draft(ids[0]!, 'x'.repeat(draftLimits.bytes))
      expect(refusal(drafts.save('a', large, true))).toContain('too large')
      expect(await names(drafts), 'what was kept before stays').toEqual(['small'])
      const half = 'x'.repeat(draftLimits.bytes / 2)
      const results = Array.from({ length: 100 }, (_, index) =>
        refusal(drafts.save(`made-up-${index}`, draft(many(index), half), false)),
      )
      // Their file is written in one go, which may not block the main process noticeably.
      expect(results.filter((one) => one === null).length).toBeLessThanOrEqual(4)
      expect(results.at(-1)).toContain('too much space')
      expect(problem(drafts.saveTemplate('a', template(ids[1]!, half)))).toContain('too much space')
      drafts.forget('made-up-0')
      expect(problem(drafts.saveTemplate('a', template(ids[1]!, half)))).toBeNull()
    })

    it('has only its values in memory if it is too large, each with what it was entered for', async () => {
      const drafts = start()
      const large = (value: string): StoredDraft => draft(ids[0]!, 'x'.repeat(draftLimits.bytes), value)
      drafts.save('a', draft(ids[0]!, 'small', 'the first'), true)
      const [mark] = drafts.save('a', large(secret), true).marks
      expect(await sentFor(drafts, mark!)).toBe(secret)
      expect(await sentFor(drafts, mark!, environment('b'))).toContain('another environment')
      const filledIn = await sentFor(drafts, await markIn(drafts))
      expect(filledIn, 'what was kept before').toBe('the first')

      await drafts.flush()
      expect(rows().filter((id) => id.startsWith('value '))).toHaveLength(1)

      drafts.save('a', draft(ids[0]!, 'shortened', mark), true)
      await drafts.flush()
      const again = start()
      expect(await names(again)).toEqual(['shortened'])
      expect(await sentFor(again, mark!)).toBe(secret)
    })

    it.each<[string, (drafts: Drafts) => void]>([
      ['is discarded', (drafts) => drafts.remove('a', ids[0]!)],
      ['goes with its environment', (drafts) => drafts.forget('a')],
      [
        'has other values',
        (drafts) => drafts.save('a', draft(ids[0]!, 'x'.repeat(draftLimits.bytes), 'b'), true),
      ],
    ])('has no values in memory any more once it %s', async (_what, act) => {
      const drafts = start()
      const [mark] = drafts.save('a', draft(ids[0]!, 'x'.repeat(draftLimits.bytes), secret), true).marks
      act(drafts)
      expect(await sentFor(drafts, mark!)).toContain('no longer stored')
    })
  })
})

describe('the question about secrets', () => {
  const place = (environmentName: string, baseUrl: string | null): SecretsPlace => ({
    environmentId: environmentName,
    environmentName,
    route: baseUrl === null ? null : { baseUrl, ...network, tenant: null, headers: '' },
  })
  const network = { trust: { kind: 'system' as const }, proxy: { mode: 'system' as const } }

  async function questionOf(question: SecretsQuestion): Promise<Question> {
    const questions: Question[] = []
    await confirmSecretsBy((one) => {
      questions.push(one)
      return Promise.resolve(false)
    })(question)
    return questions[0]!
  }

  it('says which secrets would go where, and what they were entered for, by source', async () => {
    const to = place('Copy', 'https://user-chosen.example/prefix')
    const proxy = { mode: 'manual' as const, host: 'proxy.example', port: 3128, credentials: null }
    const from = place('Production', 'https://deploy.example')
    const pac = { mode: 'pac-url' as const, url: 'http://pac.example/p' }
    const before = { ...to, route: { ...to.route!, proxy: pac } }
    const { message, detail, agree } = await questionOf({
      deploymentName: 'agent',
      to: { ...to, route: { ...to.route!, proxy } },
      secrets: [
        { name: 'KEY', from },
        { name: '', from: place('Sandbox (cloud)', null) },
        { name: 'OWN', from: before },
        { name: 'OTHER', from: { ...from } },
      ],
      others: [],
    })
    expect(message).toBe('Send 4 stored secrets to https://user-chosen.example?')
    expect(detail.split('\n\n')).toEqual([
      expect.stringMatching(
        /^Cancel unless you just asked .* asks again about this destination only after a restart/,
      ),
      'Deployment: agent\nEnvironment: Copy\nProxy: proxy.example:3128',
      'This deployment uses 4 stored secrets that were entered for a different destination:\n' +
        'Entered for: https://deploy.example\nEnvironment: Production\nDifferent now: environment, server, proxy\n' +
        'Secrets: “KEY”, “OTHER”',
      'Entered for: the built-in service on this machine\nEnvironment: Sandbox (cloud)\n' +
        'Different now: environment, server\nSecrets: “unnamed”',
      'Entered for: https://user-chosen.example\nEnvironment: Copy\nProxy: chosen by the PAC file http://pac.example/p\n' +
        'Different now: proxy\nSecrets: “OWN”',
    ])
    expect(agree).toBe('Send secrets')
  })

  it("says that it isn't known what a secret was entered for", async () => {
    const { message, detail } = await questionOf({
      deploymentName: 'agent',
      to: place('Copy', null),
      secrets: [{ name: 'OLD', from: null }],
      others: [],
    })
    expect(message).toBe('Send 1 stored secret to the built-in service on this machine?')
    expect(detail.split('\n\n')[2]).toMatch(
      /^Slipway doesn't know what this secret was entered for \(it was saved while .*\):\nSecrets: “OLD”$/,
    )
    expect(detail).not.toContain('different destination')
  })

  it('names every secret and every source, and no name looks like more than one', async () => {
    const name = `\u202egnp.exe\n\nProduction” (https://deploy.example), "KEY" «${'x'.repeat(10_000)}`
    const secrets = Array.from({ length: 5 }, (_, index) => ({
      name: `${index} ${name}`,
      from: place(index < 4 ? name : 'Production', 'https://deploy.example'),
    }))
    const question = { deploymentName: name, to: place(name, null), secrets, others: [] }
    const { message, detail } = await questionOf(question)
    expect(message).toBe('Send 5 stored secrets to the built-in service on this machine?')
    const named = [...detail.matchAll(/“(\d+) [^“”]*”(, |$)/gm)].map(([, index]) => Number(index))
    expect(named).toEqual(secrets.map((_, index) => index))
    expect(detail).toContain(`Environment: Production\nDifferent now: environment, server\nSecrets: “4 `)
    expect(detail).not.toMatch(/["«\u202e]/)
  })

  /** The height of a text with 60 characters on a line. */
  const heightOf = (text: string): number =>
    text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil([...line].length / 60)), 0)

  it.each<[string, number, (index: number) => { name: string; environment: string; host: string }]>([
    [
      'secrets of short names',
      40,
      (index) => ({ name: `KEY_${index}`, environment: 'Production', host: 'one' }),
    ],
    [
      'secrets of long names',
      7,
      (index) => ({ name: `${index}`.padEnd(60, 'x'), environment: 'P', host: 'one' }),
    ],
    ['environments', 3, (index) => ({ name: 'KEY', environment: `Production ${index}`, host: 'one' })],
    ['services', 3, (index) => ({ name: 'KEY', environment: 'Production', host: `service-${index}` })],
    [
      'services of long names',
      2,
      (index) => ({ name: 'KEY', environment: 'Production', host: `${'sub-domain.'.repeat(20)}${index}` }),
    ],
  ])("fits on a screen, or isn't asked: %s", async (_what, max, entered) => {
    const question = (count: number): SecretsQuestion => ({
      deploymentName: 'agent',
      to: place('Copy', 'https://copy.example'),
      secrets: Array.from({ length: count }, (_, index) => {
        const { name, environment, host } = entered(index)
        return { name, from: place(environment, `https://${host}.example`) }
      }),
      others: [],
    })
    const possible = Array.from({ length: 60 }, (_, index) => index + 1).filter((count) =>
      isShownWhole(question(count)),
    )
    expect(possible).toEqual(Array.from({ length: max }, (_, index) => index + 1))
    const { message, detail } = await questionOf(question(max))
    expect(heightOf(message) + heightOf(detail)).toBeLessThanOrEqual(28)
  })

  it('says what consent covers beyond this deployment', async () => {
    const [from, to] = ['https://old.example', 'https://new.example'].map((url) => place('Production', url))
    const { message, detail } = await questionOf({
      deploymentName: 'agent',
      to: to!,
      secrets: [{ name: 'KEY', from: from! }],
      others: ['TOKEN', 'evil”\n\nSecrets: “NONE'],
    })
    expect(message).toBe('Send 1 stored secret to https://new.example?')
    expect(detail.split('\n\n')[3]).toBe(
      'Other drafts use 2 stored secrets that were entered for the same destination as it was. If you agree, Slipway sends ' +
        "them there without asking once you create those deployments:\nSecrets: “TOKEN”, “evil'␊␊Secrets: 'NONE”",
    )
  })

  it.each([
    [
      'certificate',
      { trust: { kind: 'authority' as const, pem: 'of a page' } },
      'Certificate: signed by a CA',
    ],
    ['tenant', { tenant: 'another' }, 'Tenant: another'],
    ['request headers', { headers: 'of another account' }, null],
  ])('says that another environment at the same origin has another %s', async (what, changed, line) => {
    const from = place('Production', 'https://deploy.example')
    const to = place('Production ', 'https://deploy.example')
    const { detail } = await questionOf({
      deploymentName: 'agent',
      to: { ...to, route: { ...to.route!, ...changed } },
      secrets: [{ name: 'KEY', from }],
      others: [],
    })
    expect(detail).toContain(`Different now: environment, ${what}\n`)
    if (line) expect(detail.split('\n\n')[1]).toContain(`\n${line}`)
  })
})
