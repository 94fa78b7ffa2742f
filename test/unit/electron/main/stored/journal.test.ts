import { fail, failure, type JournalEntry, type JournalFilter, type Lookup, succeed } from '@contract'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  begin,
  bytesIn,
  calledPlace,
  place,
  stateIn,
  stateKey,
  storedIn,
} from '../../../../support/main/state'
import { locked } from '../../../../../electron/main/processes/keychain'
import {
  createJournal,
  type Journal,
  type SynchronisationEnd,
  JournalError,
} from '../../../../../electron/main/stored/journal'
import type { State } from '../../../../../electron/main/stored/state'
import { temporaryFolder } from '../../../../support/temporary-folder'

describe('entries', () => {
  let folder: string
  const refusal = failure('conflict', 'Taken.')

  beforeEach(() => {
    folder = temporaryFolder()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const withKey = async (): Promise<string | null> => stateKey

  /** Opens the journal as a new start does. */
  function open(keyFor: () => Promise<string | null> = withKey, changes: Partial<State> = {}) {
    const changed = vi.fn<(entry: JournalEntry) => void>()
    const report = vi.fn()
    const notice = vi.fn<(text: string | null) => void>()
    const readLate = vi.fn()
    const state = stateIn(folder, {
      keyFor: async () => {
        const key = await keyFor()
        return key === null ? fail(locked()) : succeed(key)
      },
      unlockedLate: () => void journal.noteUnlocked().catch(report),
      timeLimits: { plain: 50, sealed: 50 },
    })
    const journal = createJournal({
      state: { ...state, ...changes },
      changed,
      report,
      notice,
      readLate,
      sentTo: () => undefined,
    })
    return { ...journal, state, changed, report, notice, readLate }
  }

  const names = async (journal: Journal): Promise<(string | false)[]> =>
    (await journal.list(1000)).map((entry) => 'name' in entry && entry.name)

  describe('the journal', () => {
    it('says that it cannot be read, for as long as the disk refuses it', async () => {
      const refused = fail(failure('internal', 'The disk refused.'))
      const journal = open(withKey, { read: () => Promise.resolve(refused) })
      for (const read of [() => journal.list(10), journal.entries, () => begin(journal)]) {
        await expect(read()).rejects.toThrow(JournalError)
      }
    })

    it("refuses to begin a creation that it can't write, and forgets it", async () => {
      let isFull = true
      const full = fail(failure('disk-full', 'The disk is full.'))
      const { state } = open()
      const journal = open(withKey, {
        write: (...what) => (isFull ? Promise.resolve(full) : state.write(...what)),
      })
      await expect(begin(journal, 'full')).rejects.toThrow('The disk is full.')
      expect(await journal.list(10)).toEqual([])
      isFull = false
      await begin(journal, 'after')
      expect(await names(open())).toEqual(['after'])
    })

    it('is plain text without a key, and encrypted once there is one', async () => {
      let key: string | null = null
      const journal = open(async () => key)
      const id = await begin(journal, 'a-confidential-name')
      expect(bytesIn(folder)).toContain('confidential')
      key = stateKey
      await journal.state.unlock(false)
      await journal.endCreation(id, { state: 'created', deploymentId: 'd1' })
      const [[, stored] = []] = storedIn(folder, 'journal')
      expect(stored).toContain('confidential')
      const withoutKey = open(async () => null)
      expect(await withoutKey.list(10)).toEqual([])
      expect(await withoutKey.isIncomplete()).toBe(true)
      expect(await names(open())).toEqual(['a-confidential-name'])
    })

    it('loses nothing while the keychain is locked, and has everything again afterwards', async () => {
      await begin(open(), 'before')
      let key: string | null = null
      const second = open(async () => key)
      expect(await second.list(10)).toEqual([])
      expect(second.notice.mock.lastCall?.[0]).toContain('until the keychain answers')
      expect(await second.isIncomplete()).toBe(true)
      const id = await begin(second, 'meanwhile')
      key = stateKey
      await second.state.unlock(false)
      const all = (await second.list(10)).map((entry) => 'name' in entry && [entry.name, entry.state])
      expect(all).toEqual([
        ['meanwhile', 'sending'],
        ['before', 'unconfirmed'],
      ])
      expect(second.notice).toHaveBeenLastCalledWith(null)
      expect(await second.isIncomplete()).toBe(false)
      await second.endCreation(id, { state: 'created', deploymentId: 'd2' })
      expect(await open().list(10)).toHaveLength(2)
    })

    it('keeps every unconfirmed attempt, and the newest of the others', async () => {
      const journal = open()
      const lost = failure('connection-lost', 'Lost.', { sent: 'maybe' })
      await journal.endCreation(await begin(journal, 'open'), { state: 'unconfirmed', failure: lost })
      await journal.noteFailure(calledPlace, 'Attempt 0', new Date(), refusal)
      const [, text] = storedIn(folder, 'journal').at(-1)!
      // As that many calls would leave it, in one transaction.
      const rows = Array.from({ length: 2_001 }, (_, index) => {
        const entry = { ...(JSON.parse(text) as object), id: `f${index}`, action: `Attempt ${index + 1}` }
        return { id: entry.id, text: JSON.stringify(entry) }
      })
      await journal.state.write('journal', rows)
      const next = open()
      await next.noteFailure(calledPlace, 'Attempt 2002', new Date(), refusal)
      const kept = await open().entries()
      expect(kept).toHaveLength(2_001)
      expect(kept[0]).toMatchObject({ name: 'open' })
      expect(kept[1]).toMatchObject({ action: 'Attempt 3' })
    })

    it('has a creation on disk before it resolves, and reports each change', async () => {
      const journal = open()
      const id = await begin(journal)
      expect(storedIn(folder, 'journal')).toEqual([[id, expect.stringContaining('"state":"sending"')]])
      await journal.endCreation(id, { state: 'created', deploymentId: 'd1' })
      expect(await journal.list(10)).toMatchObject([{ id, state: 'created', deploymentId: 'd1', ...place }])
      expect(journal.changed.mock.calls.map(([entry]) => 'state' in entry && entry.state)).toEqual([
        'sending',
        'created',
      ])
    })

    it('has a change on disk before it resolves; one that was cut off is unconfirmed until it is settled', async () => {
      const change = { kind: 'redeploy', revisionId: 'r1' } as const
      const id = await open().beginChange(calledPlace, {
        ...{ action: 'redeploy', deploymentId: 'd1', name: 'agent' },
        sent: { change, latestRevisionId: 'r2' },
      })
      expect(storedIn(folder, 'journal')).toEqual([[id, expect.stringContaining('"state":"sending"')]])
      const next = open()
      expect(await next.list(10, null, 'changes')).toMatchObject([
        { state: 'unconfirmed', action: 'redeploy' },
      ])
      expect(await next.list(10, null, 'failures')).toHaveLength(1)
      await next.endChange(id, { state: 'done' })
      await next.endChange(id, { state: 'refused', failure: refusal })
      expect(await open().entries()).toMatchObject([{ state: 'done', failure: null, sent: null }])
    })

    it('loses nothing that is noted at the same time, and keeps what the operator has settled', async () => {
      const journal = open()
      const id = await begin(journal)
      const lost = failure('timeout', 'Late.')
      const deployment = { id: 'd1', createdAt: null, status: 'READY' }
      const at = new Date().toISOString()
      const lookup: Lookup = { at, verdict: 'cannot-tell', deployment, differences: [], reason: 'no-time' }
      const elsewhere = { environmentId: 'f', environmentName: 'Staging' }
      await Promise.all([
        journal.endCreation(id, { state: 'unconfirmed', failure: lost }),
        journal.noteLookup(id, { lookup, lookFailure: null }),
        journal.moveCreation(id, elsewhere),
      ])
      expect(await journal.creations()).toMatchObject([
        { state: 'unconfirmed', failure: lost, lookup, ...elsewhere },
      ])
      await Promise.all([
        journal.noteLookup(id, { state: 'created', lookFailure: null }),
        journal.noteLookup(id, { lookup, lookFailure: lost }),
        journal.settleCreation(id, { state: 'dismissed' }),
        journal.endCreation(id, { state: 'unconfirmed', failure: lost }),
      ])
      const settled = [{ state: 'created', deploymentId: 'd1', lookFailure: null, ...elsewhere }]
      expect(await journal.creations()).toMatchObject(settled)
      expect(await open().creations()).toMatchObject(settled)
    })

    it('reports locked entries while the keychain is silent, and reads them as soon as it answers', async () => {
      await begin(open(), 'before')
      let answer: (key: string) => void = () => undefined
      const late = new Promise<string>((resolve) => (answer = resolve))
      const journal = open(() => late)
      expect(await journal.list(10)).toEqual([])
      expect(journal.notice.mock.lastCall?.[0]).toContain('until the keychain answers')
      expect(journal.readLate).not.toHaveBeenCalled()
      answer(stateKey)
      // Nothing else triggers it.
      await vi.waitFor(() => expect(journal.notice).toHaveBeenLastCalledWith(null))
      expect(journal.readLate).toHaveBeenCalledTimes(1)
      expect(await names(journal)).toEqual(['before'])
    })

    it('keeps what was sent as long as the attempt is unconfirmed, and the service for ever', async () => {
      const journal = open()
      const configuration = { source: 'repohost', source_config: { repo_url: 'x'.repeat(30_000) } }
      const sent = { ...configuration, source_revision_config: {}, secret_references: [], secrets: ['KEY'] }
      const service = 'where-it-was-sent'
      const ends = [
        { state: 'unconfirmed', failure: refusal },
        { state: 'refused', failure: refusal },
        { state: 'created', deploymentId: 'd1' },
      ] as const
      for (const end of ends) {
        const id = await journal.beginCreation(place, { name: 'agent', source: 'repohost', service, sent })
        await journal.endCreation(id, end)
      }
      const [first, ...others] = await open().creations()
      expect(first).toMatchObject({ service, sent })
      for (const one of others) expect(one).toMatchObject({ service, sent: null })
      expect(JSON.stringify(await open().list(10))).not.toMatch(/where-it|xxx/)
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
        const state = name === 'x' ? 'refused' : 'unconfirmed'
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
})
