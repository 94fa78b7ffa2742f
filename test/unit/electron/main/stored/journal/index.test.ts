import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { blockingAttempt, failure, type JournalEntry, type JournalFilter, type Lookup } from '@contract'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { begin, calledPlace, fingerprint, place } from '../../../../../support/main/journal'
import { nodeFiles } from '../../../../../../electron/main/files'
import {
  createJournal,
  type Journal,
  type SynchronisationEnd,
  UnreadableJournalError,
} from '../../../../../../electron/main/stored/journal'
import { JournalFile } from '../../../../../../electron/main/stored/journal/file/journal-file'
import { LineEncryption } from '../../../../../../electron/main/stored/journal/file/line-encryption'
import { temporaryFolder } from '../../../../../support/temporary-folder'

let folder: string
let path: string
const refusal = failure('conflict', 'Taken.')

beforeEach(() => {
  folder = temporaryFolder()
  path = join(folder, 'journal.jsonl')
})
afterEach(() => {
  vi.useRealTimers()
})

const noKey = async (): Promise<string | null> => null

/** Opens the journal. Without a key, its lines are readable in the file. */
function open(keyFor: (stored: boolean) => Promise<string | null> = noKey, files = nodeFiles) {
  const changed = vi.fn<(entry: JournalEntry) => void>()
  const report = vi.fn()
  const file = new JournalFile(path, new LineEncryption(keyFor), files)
  const notice = vi.fn<(text: string | null) => void>()
  const readLate = vi.fn()
  const journal = createJournal(file, { changed, report, notice, readLate })
  return { ...journal, changed, report, notice, readLate }
}

const names = async (journal: Journal): Promise<(string | false)[]> =>
  (await journal.list(1000)).map((entry) => 'name' in entry && entry.name)

/** A creation as the first version wrote it. */
const oldCreation = (name: string, state = 'unclear') => ({
  id: `id-${name}`,
  startedAt: '2026-11-20T10:00:00.000Z',
  endedAt: null,
  ...place,
  kind: 'creation',
  state,
  name,
  source: 'repohost',
  deploymentId: null,
  failure: null,
})

describe('the journal', () => {
  it('has a creation on disk before it resolves, and reports each change', async () => {
    const journal = open()
    const id = await begin(journal)
    expect(await readFile(path, 'utf8')).toContain('"state":"sending"')
    await journal.endCreation(id, { state: 'created', deploymentId: 'd1' })
    expect(await journal.list(10)).toMatchObject([{ id, state: 'created', deploymentId: 'd1', ...place }])
    expect(journal.changed.mock.calls.map(([entry]) => 'state' in entry && entry.state)).toEqual([
      'sending',
      'created',
    ])
  })

  it('says that it cannot be read, for as long as the disk refuses it, and is left unchanged', async () => {
    const id = await begin(open())
    const before = await readFile(path, 'utf8')
    let refused = true
    const eio = (): Promise<never> => Promise.reject(Object.assign(new Error('No.'), { code: 'EIO' }))
    const journal = open(noKey, { ...nodeFiles, read: (name) => (refused ? eio() : nodeFiles.read(name)) })
    for (const read of [() => journal.list(10), journal.entries, () => begin(journal)]) {
      await expect(read()).rejects.toThrow(UnreadableJournalError)
    }
    expect(journal.notice).toHaveBeenLastCalledWith(
      expect.stringMatching(/^The journal couldn't be read from disk \(EIO\)\. It was left unchanged\./),
    )
    expect(await readFile(path, 'utf8')).toBe(before)
    refused = false
    expect(await journal.list(10)).toMatchObject([{ id }])
    expect(journal.notice).toHaveBeenLastCalledWith(null)
  })

  it('loses nothing that is noted at the same time, and keeps what the operator has settled', async () => {
    const journal = open()
    const id = await begin(journal)
    const lost = failure('timeout', 'Late.')
    const deployment = { id: 'd1', createdAt: null, status: 'READY' }
    const at = new Date().toISOString()
    const lookup: Lookup = { at, verdict: 'cannot-tell', deployment, differences: [], reason: 'secrets' }
    const elsewhere = { environmentId: 'f', environmentName: 'Staging' }
    await Promise.all([
      journal.endCreation(id, { state: 'unclear', failure: lost }),
      journal.noteLookup(id, { lookup, lookFailure: null }),
      journal.moveCreation(id, elsewhere),
    ])
    expect(await journal.creations()).toMatchObject([
      { state: 'unclear', failure: lost, lookup, ...elsewhere },
    ])
    await Promise.all([
      journal.noteLookup(id, { state: 'created', lookFailure: null }),
      journal.noteLookup(id, { state: 'unclear', lookup, lookFailure: lost }),
      journal.endCreation(id, { state: 'unclear', failure: lost }),
    ])
    const settled = [{ state: 'created', deploymentId: 'd1', lookFailure: null, ...elsewhere }]
    expect(await journal.creations()).toMatchObject(settled)
    expect(await open().creations()).toMatchObject(settled)
  })

  it('uses the order of attempts of a version that stored nothing else, in their environment', async () => {
    const blocking = async (...lines: object[]): Promise<string | undefined> => {
      await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      return blockingAttempt(await open().creations(), 'agent')?.id
    }
    const absent = oldCreation('agent', 'not-created')
    const created = { ...oldCreation('agent', 'created'), id: 'later' }
    expect(await blocking(absent, created)).toBeUndefined()
    for (const lines of [
      [created, absent],
      [absent, { ...created, environmentId: 'f' }],
      [absent, { ...created, name: 'other' }],
      [absent, { ...created, before: [] }],
      [{ ...absent, before: [] }, created],
    ])
      expect(await blocking(...lines), JSON.stringify(lines)).toBe(absent.id)
    expect(await blocking(absent, { ...created, before: [absent.id] })).toBeUndefined()
  })

  it('is found again at the next start, newest first', async () => {
    const first = open()
    for (const name of ['one', 'two', 'three']) {
      const id = await begin(first, name)
      await first.endCreation(id, { state: 'refused', failure: refusal })
    }
    const names = (await open().list(2)).map((entry) => 'name' in entry && entry.name)
    expect(names).toEqual(['three', 'two'])
  })

  it('lists unconfirmed creations that newer entries hide', async () => {
    const journal = open()
    const lost = failure('connection-lost', 'Lost.', { sent: 'maybe' })
    await journal.endCreation(await begin(journal, 'hidden'), { state: 'unclear', failure: lost })
    for (const name of ['one', 'two', 'three']) {
      await journal.endCreation(await begin(journal, name), { state: 'refused', failure: refusal })
    }
    const names = (await journal.list(2)).map((entry) => 'name' in entry && entry.name)
    expect(names).toEqual(['three', 'two', 'hidden'])
  })

  it('makes a creation unconfirmed that was running when the application ended', async () => {
    await begin(open())
    const [entry] = await open().list(1)
    expect(entry).toMatchObject({ state: 'unclear', failure: { code: 'connection-lost' } })
    expect(entry?.endedAt).not.toBeNull()
    expect(await open().list(1)).toEqual([entry])
  })

  it("refuses to begin a creation that it can't write, and forgets it", async () => {
    const nowhere = createJournal(
      new JournalFile(join(folder, 'missing', 'journal.jsonl'), new LineEncryption(noKey)),
      { changed: vi.fn(), report: vi.fn() },
    )
    await expect(begin(nowhere)).rejects.toThrow()
    expect(await nowhere.list(10)).toEqual([])
  })

  it('is encrypted with a key from the keychain, and found again with it', async () => {
    const withKey = async (): Promise<string> => 'ab'.repeat(32)
    const first = open(withKey)
    await first.endCreation(await begin(first, 'a-confidential-name'), {
      state: 'created',
      deploymentId: 'd1',
    })
    expect(await readFile(path, 'utf8')).not.toMatch(/confidential|Production|creation/)
    expect(await open(withKey).list(10)).toMatchObject([{ name: 'a-confidential-name', state: 'created' }])
  })

  it('loses nothing while the keychain is locked, and has everything again afterwards', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const key = 'cd'.repeat(32)
    const first = open(async () => key)
    await begin(first, 'before')
    let locked = true
    const stored: boolean[] = []
    const second = open(async (known) => {
      stored.push(known)
      return locked ? null : key
    })
    expect(await second.list(10)).toEqual([])
    expect(second.notice.mock.lastCall?.[0]).toMatch(
      /^Earlier entries can't be read until the keychain answers\./,
    )
    expect(await second.incompleteReason()).toBe('keychain')
    const id = await begin(second, 'meanwhile')
    expect(await second.list(10)).toMatchObject([{ name: 'meanwhile', state: 'sending' }])
    locked = false
    vi.advanceTimersByTime(60_000)
    const names = (await second.list(10)).map((entry) => 'name' in entry && [entry.name, entry.state])
    expect(names).toEqual([
      ['meanwhile', 'sending'],
      ['before', 'unclear'],
    ])
    expect(stored).toEqual(stored.map(() => true))
    expect(second.notice).toHaveBeenLastCalledWith(null)
    expect(await second.incompleteReason()).toBeNull()
    await second.endCreation(id, { state: 'created', deploymentId: 'd2' })
    expect(await open(async () => key).list(10)).toHaveLength(2)
    vi.useRealTimers()
  })

  it('reports locked entries while the keychain is silent, and reads them as soon as it answers', async () => {
    const key = 'cd'.repeat(32)
    await begin(
      open(async () => key),
      'before',
    )
    let answer: (key: string) => void = () => undefined
    const late = new Promise<string>((resolve) => (answer = resolve))
    const journal = open(() => late)
    expect(await journal.list(10)).toEqual([])
    expect(journal.notice.mock.lastCall?.[0]).toContain('until the keychain answers')
    expect(journal.readLate).not.toHaveBeenCalled()
    answer(key)
    // Nothing else triggers it.
    await vi.waitFor(() => expect(journal.notice).toHaveBeenLastCalledWith(null))
    expect(journal.readLate).toHaveBeenCalledTimes(1)
    expect(await names(journal)).toEqual(['before'])
  })

  it('is unlocked even after the clock was set back', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    const key = 'cd'.repeat(32)
    await begin(
      open(async () => key),
      'before',
    )
    let locked = true
    const journal = open(async () => (locked ? null : key))
    expect(await journal.incompleteReason()).toBe('keychain')
    locked = false
    vi.setSystemTime(Date.now() - 30 * 86_400_000)
    vi.advanceTimersByTime(11_000)
    expect(await journal.incompleteReason()).toBeNull()
    vi.useRealTimers()
  })

  it('is encrypted completely once there is a key', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const key = 'cd'.repeat(32)
    let currentKey: string | null = null
    const journal = open(async () => currentKey)
    await begin(journal, 'a-confidential-name')
    expect(await readFile(path, 'utf8')).toContain('confidential')
    currentKey = key
    vi.advanceTimersByTime(11_000)
    await begin(journal, 'next')
    expect(await readFile(path, 'utf8')).not.toMatch(/confidential|Production|next/)
    const again = open(async () => key)
    expect(await names(again)).toEqual(['next', 'a-confidential-name'])
    expect(await again.incompleteReason()).toBeNull()
    vi.useRealTimers()
  })

  it('encrypts what it wrote while the keychain was locked as soon as the key is available', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const key = 'cd'.repeat(32)
    await begin(
      open(async () => key),
      'before',
    )
    let currentKey: string | null = null
    const journal = open(async () => currentKey)
    const id = await begin(journal, 'a-confidential-name')
    currentKey = key
    // The operator has pressed Retry, so nothing is awaited.
    await journal.unlock()
    expect(await readFile(path, 'utf8')).not.toMatch(/confidential|Production/)
    expect(await journal.incompleteReason()).toBeNull()
    await journal.endCreation(id, { state: 'created', deploymentId: 'd' })
    const again = open(async () => key)
    expect((await again.creations()).map(({ name, state }) => [name, state])).toEqual([
      ['before', 'unclear'],
      ['a-confidential-name', 'created'],
    ])
    expect(await again.incompleteReason()).toBeNull()
    vi.useRealTimers()
  })

  it('waits for a hanging keychain only once', async () => {
    const key = 'cd'.repeat(32)
    await begin(
      open(async () => key),
      'before',
    )
    const journal = open(() => new Promise(() => undefined))
    const began = performance.now()
    expect(await journal.incompleteReason()).toBe('keychain')
    for (const name of ['one', 'two', 'three']) {
      await journal.endCreation(await begin(journal, name), { state: 'refused', failure: refusal })
    }
    expect(performance.now() - began).toBeLessThan(4_000)
    expect(await journal.list(10)).toHaveLength(3)
  })

  it('contains only what the contract names', async () => {
    const journal = open()
    const request = {
      name: 'agent',
      source: 'repohost',
      fingerprint,
      serviceIdentity: 'service',
      headersIdentity: 'headers',
      routeIdentity: 'route',
      before: [],
      startedAtService: null,
      secrets: [{ name: 'KEY', value: 'hunter2' }],
    }
    await journal.beginCreation(place, request)
    expect(await readFile(path, 'utf8')).not.toContain('hunter2')
  })

  it('keeps a request in comparable form as long as the list may show its result', async () => {
    const journal = open()
    const ends = [
      [{ state: 'unclear', failure: refusal }, true],
      [{ state: 'refused', failure: { ...refusal, sent: 'answered', status: 422 } }, true],
      [{ state: 'refused', failure: failure('offline', 'Nothing answers.') }, true],
      [{ state: 'refused', failure: failure('cancelled', 'Not sent.'), heldBack: true }, false],
      [{ state: 'created', deploymentId: 'd1' }, false],
    ] as const
    for (const [end] of ends) await journal.endCreation(await begin(journal, end.state), end)
    const creations = await open().creations()
    expect(creations.map((one) => Object.keys(one.fingerprint!.members).length > 0)).toEqual(
      ends.map(([, isKept]) => isKept),
    )
    for (const one of creations) {
      expect(one.fingerprint!.salt).toBe(fingerprint.salt)
      expect(one.serviceIdentity).toBe('service')
    }
  })

  it('keeps the service of a request that is too large to be compared', async () => {
    const journal = open()
    const labels = Array.from({ length: 2_000 }, (_, index) => `hash-of-label-${index}`)
    await journal.beginCreation(place, {
      name: 'agent',
      source: 'repohost',
      fingerprint: { ...fingerprint, members: { 'source_config.resource_spec.labels': labels } },
      serviceIdentity: 'service',
      headersIdentity: 'headers',
      routeIdentity: 'route',
      before: ['j0'],
      startedAtService: null,
    })
    expect(await open().creations()).toMatchObject([
      { fingerprint: { salt: fingerprint.salt, members: {} }, serviceIdentity: 'service', before: ['j0'] },
    ])
  })

  it('notes the same failure once a minute, whatever the clock does', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    const journal = open()
    const now = new Date()
    await journal.noteFailure(calledPlace, 'List deployments', now, refusal)
    await journal.noteFailure(calledPlace, 'List deployments', now, { ...refusal })
    await journal.noteFailure(calledPlace, 'List repositories', now, refusal)
    await journal.noteFailure({ ...calledPlace, environmentId: 'f' }, 'List deployments', now, refusal)
    await journal.noteFailure(calledPlace, 'List deployments', now, failure('timeout', 'Late.'))
    expect(await journal.list(10)).toHaveLength(4)
    vi.advanceTimersByTime(61_000)
    await journal.noteFailure(calledPlace, 'List deployments', new Date(), refusal)
    expect(await journal.list(10)).toHaveLength(5)
    // A clock that was set back doesn't extend that minute.
    vi.setSystemTime(now.getTime() - 86_400_000)
    vi.advanceTimersByTime(61_000)
    await journal.noteFailure(calledPlace, 'List deployments', new Date(), refusal)
    expect(await journal.list(10)).toHaveLength(6)
    vi.useRealTimers()
  })

  it('does not mix the lines of overlapping calls', async () => {
    const journal = open()
    const ids = await Promise.all(Array.from({ length: 20 }, (_, index) => begin(journal, `agent-${index}`)))
    await Promise.all(ids.map((id) => journal.endCreation(id, { state: 'created', deploymentId: id })))
    const again = await open().list(100)
    expect(again).toHaveLength(20)
    expect(again.every((entry) => 'state' in entry && entry.state === 'created')).toBe(true)
  })

  it('reads the lines of the first version, even after an incomplete line', async () => {
    const old = (name: string): string => JSON.stringify(oldCreation(name))
    await writeFile(path, `${old('one')}\ngarbage\n\n{"id": 5}\n\u0000\u0000\n{"half${old('two')}\n{"half`)
    const journal = open()
    expect(await names(journal)).toEqual(['two', 'one'])
    expect(await journal.incompleteReason()).toBeNull()
    await begin(journal, 'next')
    const again = open()
    expect(await names(again)).toEqual(['next', 'two', 'one'])
    expect(await again.incompleteReason()).toBeNull()
  })

  it('survives being cut off at any byte', async () => {
    const whole = open()
    for (const name of ['öne', 'two']) {
      await whole.endCreation(await begin(whole, name), { state: 'refused', failure: refusal })
    }
    const bytes = await readFile(path)
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length), async (length) => {
        await writeFile(path, bytes.subarray(0, length))
        const journal = open()
        const before = await journal.list(10)
        const lines = bytes.subarray(0, length).toString('utf8').split('\n').length - 1
        expect(before).toHaveLength(Math.ceil(lines / 2))
        await begin(journal, 'after')
        const again = open()
        const after = await again.list(10)
        expect(after).toHaveLength(before.length + 1)
        expect(after[0]).toMatchObject({ name: 'after', state: 'unclear' })
        expect(await again.incompleteReason()).toBeNull()
      }),
    )
  })

  it('is rewritten when it has grown long, and keeps the newest entries', async () => {
    const entry = (index: number): JournalEntry => ({
      id: `i${index}`,
      kind: 'failure',
      startedAt: '2026-11-21T10:00:00.000Z',
      endedAt: '2026-11-21T10:00:01.000Z',
      ...place,
      action: 'List deployments',
      failure: refusal,
    })
    const lines = Array.from({ length: 10_001 }, (_, index) => JSON.stringify(entry(index)))
    await writeFile(path, lines.join('\n') + '\n')
    const journal = open()
    await begin(journal, 'newest')
    const written = (await readFile(path, 'utf8')).trimEnd().split('\n')
    expect(written).toHaveLength(5000)
    expect(await journal.list(1000)).toHaveLength(1000)
    expect((await open().list(1))[0]).toMatchObject({ name: 'newest' })
  })

  it('returns the entries that pass a filter, however many others follow', async () => {
    const journal = open()
    const id = await begin(journal, 'agent')
    await journal.endCreation(id, { state: 'created', deploymentId: 'd1' })
    for (let index = 0; index < 20; index += 1) {
      await journal.noteFailure(calledPlace, `Attempt ${index}`, new Date(), refusal)
    }
    await journal.beginSynchronisation(calledPlace, false)
    for (const one of [journal, open()]) {
      const kinds = async (filter: JournalFilter) =>
        (await one.list(10, null, filter)).map((entry) => entry.kind)
      expect(await kinds('creations')).toEqual(['creation'])
      expect(await kinds('synchronisations')).toEqual(['synchronisation'])
      expect((await kinds('failures')).filter((kind) => kind === 'creation')).toEqual([])
      expect(await kinds('failures')).toHaveLength(10)
      expect(await kinds('all')).toEqual(['synchronisation', ...Array<string>(9).fill('failure')])
    }
  })

  it('returns unconfirmed creations in addition to the newest entries, and those of a name', async () => {
    const journal = open()
    for (const name of ['x', 'agent', 'agent', 'other', 'agent', 'agent']) {
      const id = await begin(journal, name)
      const state = name === 'x' ? 'refused' : 'unclear'
      await journal.endCreation(id, { state, failure: refusal })
    }
    const listed = async (limit: number, name?: string) =>
      (await journal.list(limit, name)).map((entry) => 'name' in entry && entry.name)
    expect(await listed(1)).toEqual(['agent', 'agent'])
    expect(await listed(1, 'other')).toEqual(['agent', 'agent', 'other'])
    expect(await listed(3, 'agent')).toEqual(['agent', 'agent', 'other', 'agent', 'agent'])
    expect(await listed(3, 'x')).toEqual(['agent', 'agent', 'other', 'agent', 'agent'])
    expect(await listed(9, 'agent')).toHaveLength(6)
  })

  describe('of synchronisations', () => {
    const nothing = { seen: 240, added: 0, changed: 0, gone: 0, failure: null }
    const run = async (journal: Journal, automatic: boolean, end: Partial<SynchronisationEnd> = {}) => {
      const id = await journal.beginSynchronisation(calledPlace, automatic)
      await journal.endSynchronisation(id, { state: 'complete', ...nothing, ...end })
      return id
    }

    it('says how each requested one ended, and what it found', async () => {
      const journal = open()
      await run(journal, false, { added: 3, changed: 2, gone: 1 })
      await run(journal, false)
      await run(journal, false, { state: 'failed', failure: refusal })
      expect(await open().list(10)).toMatchObject([
        { kind: 'synchronisation', state: 'failed', failure: { code: 'conflict' } },
        { state: 'complete', added: 0, quietBefore: 0 },
        {
          state: 'complete',
          seen: 240,
          added: 3,
          changed: 2,
          gone: 1,
          endedAt: expect.any(String) as string,
        },
      ])
    })

    it('keeps one entry of automatic ones that find nothing, the newest', async () => {
      const journal = open()
      await run(journal, true, { added: 240 })
      const failed = await begin(journal)
      await journal.endCreation(failed, { state: 'refused', failure: refusal })
      for (let count = 0; count < 50; count += 1) await run(journal, true)
      for (const list of [await journal.list(10), await open().list(10)]) {
        expect(list).toMatchObject([
          { kind: 'synchronisation', state: 'complete', quietBefore: 49 },
          { kind: 'creation' },
          { kind: 'synchronisation', added: 240, quietBefore: 0 },
        ])
      }
      await run(journal, true, { changed: 1 })
      await run(journal, true, { state: 'failed', failure: refusal })
      await run(journal, true)
      expect((await journal.list(10)).map((entry) => 'state' in entry && entry.state)).toEqual([
        'complete',
        'failed',
        'complete',
        'refused',
        'complete',
      ])
    })

    it("doesn't reuse an entry of another environment or of a requested one", async () => {
      const journal = open()
      await run(journal, true)
      const other = await journal.beginSynchronisation({ ...calledPlace, environmentId: 'other' }, true)
      await journal.endSynchronisation(other, { state: 'complete', ...nothing })
      await run(journal, false)
      await run(journal, true)
      expect(await journal.list(10)).toHaveLength(4)
    })

    it('is interrupted if the application ended meanwhile', async () => {
      await open().beginSynchronisation(calledPlace, true)
      expect(await open().list(10)).toMatchObject([{ state: 'interrupted' }])
    })
  })
})
