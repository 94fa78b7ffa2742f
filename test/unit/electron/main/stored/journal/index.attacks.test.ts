import { createHash } from 'node:crypto'
import { blockingAttempt, failure, type JournalEntry, recentMs } from '@contract'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest'
import { begin, calledPlace, place } from '../../../../../support/main/journal'
import { createJournal, type Journal } from '../../../../../../electron/main/stored/journal'
import { FullJournalError } from '../../../../../../electron/main/stored/journal/file/size-limits'
import { JournalFile } from '../../../../../../electron/main/stored/journal/file/journal-file'
import { LineEncryption } from '../../../../../../electron/main/stored/journal/file/line-encryption'
import { encrypt } from '../../../../../../electron/main/files/encryption'
import { largestFile } from '../../../../../../electron/main/files/regular-file'
import { FaultDisk } from '../../../../../support/main/fault-disk'

const path = '/data/journal.jsonl'
const head = '/data/journal.head'
const key = 'ab'.repeat(32)
const refusal = failure('conflict', 'Taken.')
const lost = failure('timeout', 'Late.')
let disk: FaultDisk
beforeEach(() => {
  disk = new FaultDisk()
})
afterEach(() => {
  vi.useRealTimers()
})

function open(keyFor: string | null | (() => string | null) = key) {
  const changed = vi.fn<(entry: JournalEntry) => void>()
  const report = vi.fn()
  const notice = vi.fn<(text: string | null) => void>()
  const regained = vi.fn<(name: string) => void>()
  const seal = new LineEncryption(() => Promise.resolve(typeof keyFor === 'function' ? keyFor() : keyFor))
  const journal = createJournal(new JournalFile(path, seal, disk.files()), {
    changed,
    report,
    notice,
    regained,
  })
  return { ...journal, changed, report, notice, regained }
}

async function attempt(journal: Journal, name: string, unclear = false): Promise<void> {
  const id = await begin(journal, name)
  await journal.endCreation(
    id,
    unclear ? { state: 'unclear', failure: lost } : { state: 'refused', failure: refusal },
  )
}

/** The names of attempts and their states, oldest first. */
const attempts = async (journal: Journal): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await journal.list(1000))
      .reverse()
      .flatMap((entry) => (entry.kind === 'creation' ? [[entry.name, entry.state]] : [])),
  )

const lines = (): string[] => disk.get(path)!.toString('utf8').split('\n').slice(0, -1)
const write = (changed: readonly string[]): void =>
  disk.put(path, changed.map((line) => line + '\n').join(''))

/** The journals that were set aside, oldest first. */
const asides = (reason: 'unreadable' | 'damaged'): string[] =>
  disk.names().filter((name) => name.includes(`.jsonl.${reason}-`))

describe('a journal whose key is lost', () => {
  it('is set aside, stays on the disk, is reported, and blocks names for seven days', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-22T12:00:00Z') })
    await attempt(open(), 'before', true)
    const before = disk.get(path)!

    const journal = open('cd'.repeat(32))
    expect(await attempts(journal)).toEqual({})
    expect(await journal.incompleteReason()).toBe('gap')
    const aside = asides('unreadable')[0]!
    expect(disk.get(aside)).toEqual(before)
    const [entry] = await journal.list(1)
    expect(entry).toMatchObject({ kind: 'failure', action: 'Read the journal' })
    expect(entry).not.toHaveProperty('gap')
    expect(entry!.failure!.advice).toContain(aside.split('/').at(-1))
    expect(journal.changed).toHaveBeenCalledWith(entry)
    expect(journal.notice).toHaveBeenLastCalledWith(expect.stringContaining('seven days'))
    await attempt(journal, 'after')

    // Day after day, with a restart on each.
    for (let day = 1; day < 7; day += 1) {
      vi.setSystemTime(Date.now() + 24 * 3600 * 1000)
      const later = open('cd'.repeat(32))
      expect(await later.incompleteReason(), `day ${day}`).toBe('gap')
    }
    vi.setSystemTime(Date.now() + 24 * 3600 * 1000)
    const atLast = open('cd'.repeat(32))
    expect(await atLast.incompleteReason()).toBeNull()
    expect(await attempts(atLast)).toEqual({ after: 'refused' })
    expect(atLast.notice).toHaveBeenLastCalledWith(null)
    expect(disk.names().filter((name) => name.includes('unreadable'))).toEqual([aside])
  })

  it('blocks names for seven days of use, whatever the clock does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: -400 * 24, max: 400 * 24 }), { minLength: 1, maxLength: 30 }),
        async (hours) => {
          vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-22T12:00:00Z') })
          disk = new FaultDisk()
          await attempt(open(), 'before')
          let journal = open('cd'.repeat(32))
          await journal.incompleteReason()
          let passed = 0
          for (const change of hours) {
            vi.setSystemTime(Date.now() + change * 3600 * 1000)
            if (change % 2 === 0) journal = open('cd'.repeat(32))
            passed += Math.min(Math.max(change, 0), 24) * 3600 * 1000
            expect(await journal.incompleteReason()).toBe(passed < recentMs ? 'gap' : null)
          }
        },
      ),
    )
  })

  it('is detected even in the first version, and the readable half stays', async () => {
    const old = (name: string, with_: string): string =>
      JSON.stringify({
        sealed: encrypt(
          JSON.stringify({
            id: name,
            startedAt: '2026-11-20T10:00:00.000Z',
            endedAt: null,
            ...place,
            kind: 'creation',
            state: 'unclear',
            name,
            source: 'repohost',
            deploymentId: null,
            failure: null,
          }),
          with_,
          'journal',
        ).toString('base64'),
      })
    write([old('lost', 'cd'.repeat(32)), old('readable', key)])
    const journal = open()
    expect(await attempts(journal)).toEqual({ readable: 'unclear' })
    expect(await journal.incompleteReason()).toBe('gap')
    expect(disk.names().filter((name) => name.includes('unreadable'))).toHaveLength(1)
    expect(await attempts(open())).toEqual({ readable: 'unclear' })
  })

  it.each([
    ['encrypted', key],
    ['not all encrypted', null],
  ])("isn't overwritten if it is %s and can't be set aside", async (_what, lastKey) => {
    await attempt(open(), 'before')
    await attempt(open(lastKey), 'at last')
    const before = lines()
    const journal = open('cd'.repeat(32))
    disk.plan([{ code: 'ENOSPC', done: 0 }])
    expect(await journal.incompleteReason()).toBe('gap')
    await attempt(journal, 'meanwhile')
    expect(lines().slice(0, before.length)).toEqual(before)
    expect(await open('cd'.repeat(32)).incompleteReason()).toBe('gap')
    expect(asides('unreadable')).toHaveLength(1)
    expect(await attempts(open())).toMatchObject({ before: 'refused', 'at last': 'refused' })
  })
})

describe('a journal whose key is available again', () => {
  const otherKey = 'cd'.repeat(32)
  /** The names that an attempt blocks. */
  const blocked = async (journal: Journal, ...names: string[]): Promise<string[]> => {
    const all = await journal.creations()
    return names.filter((name) => blockingAttempt(all, name) !== null)
  }

  it('is added again: its attempts block their names, and the later journal stays set aside and named', async () => {
    const first = open()
    await attempt(first, 'a-lost', true)
    await begin(first, 'a-cut-off')
    await attempt(first, 'a-refused')
    const meanwhile = open(otherKey)
    await attempt(meanwhile, 'b-lost', true)
    expect(await blocked(meanwhile, 'a-lost', 'a-cut-off', 'b-lost')).toEqual(['b-lost'])
    const ofB = disk.get(path)!

    const back = open()
    expect(await blocked(back, 'a-lost', 'a-cut-off', 'b-lost')).toEqual(['a-lost', 'a-cut-off'])
    expect(await attempts(back)).toEqual({
      'a-lost': 'unclear',
      'a-cut-off': 'unclear',
      'a-refused': 'refused',
    })
    // Entries from the time between may still be missing.
    expect(await back.incompleteReason()).toBe('gap')
    expect(asides('unreadable').map((name) => disk.get(name))).toEqual([ofB])
    expect(back.regained).toHaveBeenCalledTimes(1)
    expect(back.report).not.toHaveBeenCalled()
    await attempt(back, 'a-later', true)

    // Nothing is added twice, and a journal that was set aside meanwhile is added later.
    const again = open()
    const order = ['a-lost', 'a-cut-off', 'a-refused', 'a-later']
    expect((await again.creations()).map(({ name }) => name)).toEqual(order)
    expect(again.regained).not.toHaveBeenCalled()
    const b = open(otherKey)
    expect(await blocked(b, 'a-lost', 'b-lost')).toEqual(['b-lost'])
    expect(asides('unreadable')).toHaveLength(1)
    const last = open()
    expect((await last.creations()).map(({ name }) => name)).toEqual(order)
    expect(asides('unreadable')).toHaveLength(1)
  })

  it('is placed before newer entries, whatever the clock said, with each attempt once', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-22T12:00:00Z') })
    const names: string[] = []
    for (const [run, with_] of [key, otherKey, key, otherKey, key].entries()) {
      // The clock goes back, or stops.
      if (run % 2 === 0) vi.setSystemTime(Date.now() - 3_600_000)
      const journal = open(with_)
      await attempt(journal, `${with_ === key ? 'a' : 'b'}-${run}`, true)
      if (with_ === key) names.push(`a-${run}`)
      expect(asides('unreadable').length).toBeLessThanOrEqual(2)
    }
    expect((await open().creations()).map(({ name }) => name)).toEqual(names)
    const b = await open(otherKey).creations()
    expect(b.map(({ name }) => name)).toEqual(['b-1', 'b-3'])
  })

  it('never replaces another one that was set aside at the same time', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-22T12:00:00Z') })
    const keys = ['11', '22', '33', '44'].map((byte) => byte.repeat(32))
    for (const one of keys) await attempt(open(one), one, true)
    expect(asides('unreadable')).toHaveLength(3)
    for (const one of keys) expect(await attempts(open(one))).toEqual({ [one]: 'unclear' })
  })

  it('is added when the keychain is unlocked with it, even if nothing else is encrypted', async () => {
    await attempt(open(), 'a-lost', true)
    await open(otherKey).incompleteReason()
    disk.put(path, null)
    disk.put(head, null)
    let currentKey: string | null = null
    const journal = open(() => currentKey)
    await attempt(journal, 'meanwhile', true)
    expect(await blocked(journal, 'a-lost', 'meanwhile')).toEqual(['meanwhile'])
    currentKey = key
    await journal.unlock()
    expect(await attempts(journal)).toEqual({ 'a-lost': 'unclear', meanwhile: 'unclear' })
    expect((await journal.creations()).map(({ name }) => name)).toEqual(['a-lost', 'meanwhile'])
    expect(asides('unreadable')).toEqual([])
    expect(disk.get(path)!.toString()).not.toContain('meanwhile')
  })

  it('changes nothing about an attempt that already exists with later information', async () => {
    await attempt(open(), 'encrypted')
    const id = await begin(open(null), 'plain')
    // When the key is lost, unencrypted lines are copied, and settled there.
    const b = open(otherKey)
    expect(await attempts(b)).toEqual({ plain: 'unclear' })
    await b.noteLookup(id, { state: 'created', lookFailure: null })
    const carried = (await b.creations()).find((one) => one.id === id)!
    disk.put(path, null)
    disk.put(head, null)
    write([JSON.stringify({ ...carried, deploymentId: 'd' })])
    const journal = open()
    expect(await attempts(journal)).toEqual({ encrypted: 'refused', plain: 'created' })
    expect((await journal.creations()).filter((one) => one.id === id)).toHaveLength(1)
    expect(asides('unreadable')).toEqual([])
  })

  it.each<[string, (now: string[]) => string[]]>([
    ['a line was removed from', (now) => now.filter((_, index) => index !== 1)],
    ['two lines were exchanged in', (now) => [now[1]!, now[0]!, ...now.slice(2)]],
    [
      'a line was changed in',
      (now) => now.map((line, index) => (index === 1 ? line.slice(0, -9) + 'AAAAAA"}' : line)),
    ],
    ['a newer Slipway has written to', (now) => [...now, JSON.stringify({ v: 3, n: 9 })]],
    ['nothing is encrypted in', () => [JSON.stringify({ ...oldCreation, id: 'forged', state: 'created' })]],
  ])('stays set aside if %s it', async (_what, change) => {
    for (const name of ['one', 'two', 'three']) await attempt(open(), name, true)
    await open(otherKey).incompleteReason()
    const [aside] = asides('unreadable')
    const now = disk.get(aside!)!.toString().split('\n').slice(0, -1)
    const changed = change(now)
      .map((line) => line + '\n')
      .join('')
    disk.put(aside!, changed)
    for (const time of ['at once', 'after a restart']) {
      const journal = open()
      expect(await attempts(journal), time).toEqual({})
      expect(await journal.incompleteReason(), time).toBe('gap')
      expect(disk.get(aside!)?.toString(), time).toBe(changed)
    }
  })

  it('includes the file beside the journal of a newer Slipway', async () => {
    await attempt(open(), 'one', true)
    const before = lines()
    write([...before, JSON.stringify({ v: 3, n: 9 })])
    await attempt(open(), 'beside', true)
    // The newer journal is gone once the key is lost.
    disk.put(path, null)
    disk.put(head, null)
    const beside = (): string[] => asides('unreadable').filter((name) => name.includes('meanwhile'))
    expect(await attempts(open(otherKey))).toEqual({})
    expect(beside()).toHaveLength(1)
    expect(await attempts(open())).toEqual({ beside: 'unclear' })
    expect(beside()).toEqual([])
  })

  it('is added but stays if lines of another key follow, as after a full disk', async () => {
    await attempt(open(), 'a-lost', true)
    const full = open(otherKey)
    disk.plan([{ code: 'ENOSPC', done: 0 }])
    await attempt(full, 'b-lost', true)
    expect(asides('unreadable')).toEqual([])
    const both = disk.get(path)!
    for (let start = 0; start < 2; start += 1) {
      const journal = open()
      expect(await attempts(journal)).toEqual({ 'a-lost': 'unclear' })
      expect(journal.notice).toHaveBeenLastCalledWith(expect.stringContaining("The journal's key"))
      const b = open(otherKey)
      expect(await attempts(b)).toEqual({ 'b-lost': 'unclear' })
      expect(asides('unreadable').map((name) => disk.get(name))).toContainEqual(both)
      expect(asides('damaged')).toEqual([])
    }
  })

  it('stays set aside if it was changed, although each line is readable', async () => {
    for (const name of ['one', 'two', 'three']) await attempt(open(), name, true)
    write(lines().slice(0, -1))
    await open().incompleteReason()
    const [aside] = asides('damaged')
    const before = disk.get(aside!)!
    for (let start = 0; start < 2; start += 1) await attempt(open(), `later-${start}`)
    expect(disk.get(aside!)).toEqual(before)
    expect(asides('unreadable')).toEqual([])
  })

  it('stays set aside if it has no room; the journal continues, and adds it later', async () => {
    await attempt(open(), 'a-lost', true)
    await open(otherKey).incompleteReason()
    const base = { ...oldCreation, state: 'unclear', deploymentId: null }
    const unclear = Array.from({ length: 1_600 }, (_, index) =>
      JSON.stringify({ ...base, id: `u-${index}`, name: 'x'.repeat(20_000) + index }),
    )
    disk.put(head, null)
    write(unclear)
    const full = open()
    expect(await blocked(full, 'a-lost')).toEqual([])
    expect((await full.creations()).length).toBe(unclear.length)
    expect(full.report).toHaveBeenCalledTimes(1)
    expect(asides('unreadable')).toHaveLength(1)
    disk.put(head, null)
    write(unclear.slice(0, 10))
    expect(await blocked(open(), 'a-lost')).toEqual(['a-lost'])
    expect(asides('unreadable')).toEqual([])
  })
})

/** A creation as the first version wrote it. */
const oldCreation = {
  id: 'old',
  startedAt: '2026-11-20T10:00:00.000Z',
  endedAt: null,
  ...place,
  kind: 'creation',
  state: 'unclear',
  name: 'old',
  source: 'repohost',
  deploymentId: null,
  failure: null,
}

/** The chain link of a line that follows others. */
function linkAfter(now: readonly string[]): { n: number; prev: string } {
  let prev = ''
  for (const line of now) prev = createHash('sha256').update(`${prev}\n${line}`).digest('base64url')
  return { n: now.length + 1, prev }
}

describe('a journal that another program changed', () => {
  const attacks: Record<string, (now: string[]) => string[] | null> = {
    'a line removed in the middle': (now) => now.filter((_, index) => index !== 2),
    'the first line removed': (now) => now.slice(1),
    'the last line removed': (now) => now.slice(0, -1),
    'everything removed': () => [],
    'the file removed': () => null,
    'an old line repeated': (now) => [...now, now[0]!],
    'two lines exchanged': (now) => [now[1]!, now[0]!, ...now.slice(2)],
    'a flipped bit': (now) =>
      now.map((line, index) => (index === 1 ? line.replace(/.{9}$/, 'AAAAAAA"}') : line)),
    'an injected line that is not encrypted': (now) => [...now, injected(now, now.length)],
    'an injected line of the first version': (now) => [...now, JSON.stringify(forged)],
    'a line put in between': (now) => [...now.slice(0, 2), injected(now, 2), ...now.slice(2)],
  }
  const forged = { ...oldCreation, id: 'forged', state: 'created', name: 'forged', deploymentId: 'd' }
  /** A correctly chained, unencrypted line that settles the unconfirmed attempt. */
  const injected = (now: readonly string[], at: number): string => {
    return JSON.stringify({ v: 2, ...linkAfter(now.slice(0, at)), entry: { ...forged, id: unclearId } })
  }
  let unclearId: string

  it.each(Object.entries(attacks))(
    '%s is detected, blocks names, and removes nothing',
    async (_what, attack) => {
      const first = open()
      unclearId = await begin(first, 'unclear-one')
      await first.endCreation(unclearId, { state: 'unclear', failure: lost })
      await attempt(first, 'two')
      await attempt(first, 'three', true)
      const before = lines()
      const changed = attack(before)
      if (changed) write(changed)
      else disk.put(path, null)

      const journal = open()
      expect(await journal.incompleteReason()).toBe('gap')
      expect(journal.notice).toHaveBeenLastCalledWith(expect.stringContaining('changed outside'))
      const aside = asides('damaged')[0]
      expect(asides('unreadable')).toEqual([])
      if (changed) expect(disk.get(aside!)!.toString()).toBe(changed.map((line) => line + '\n').join(''))
      else expect(aside).toBeUndefined()
      const known = await attempts(journal)
      // Existing encrypted lines keep their latest state.
      if (changed && changed.length >= before.length) {
        expect(known).toMatchObject({ two: 'refused', three: 'unclear' })
        if (changed[1] === before[1]) expect(known['unclear-one']).toBe('unclear')
      }
      // It is reported once, and the journal continues.
      await attempt(journal, 'next')
      const again = open()
      expect(await attempts(again)).toEqual({ ...known, next: 'refused' })
      expect((await again.list(100)).filter(({ kind }) => kind === 'failure')).toHaveLength(1)
    },
  )

  it('while it is open is repaired with the next entry', async () => {
    const journal = open()
    await attempt(journal, 'one')
    disk.put(path, null)
    await attempt(journal, 'two')
    const again = open()
    expect(await attempts(again)).toEqual({ one: 'refused', two: 'refused' })
    expect(await again.incompleteReason()).toBeNull()
  })

  it('is distinguished from lines that were written while the keychain was locked', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    await attempt(open(), 'open')
    const locked = open(null)
    expect(await locked.incompleteReason()).toBe('keychain')
    await attempt(locked, 'locked', true)
    await attempt(open(null), 'locked again')
    let currentKey: string | null = null
    const midway = open(() => currentKey)
    await begin(midway, 'midway')
    currentKey = key
    vi.advanceTimersByTime(60_000)
    await midway.list(1)
    await attempt(midway, 'unlocked')
    // An earlier unencrypted entry is changed by an encrypted line, which is unreadable while the keychain is locked.
    const [, , entry] = (await midway.list(10))
      .filter((one) => 'name' in one && one.name === 'locked')
      .concat()
    expect(entry).toBeUndefined()
    await attempt(open(null), 'locked at last')
    const last = open()
    expect(await last.incompleteReason()).toBeNull()
    expect(await attempts(last)).toEqual({
      open: 'refused',
      locked: 'unclear',
      'locked again': 'refused',
      midway: 'unclear',
      unlocked: 'refused',
      'locked at last': 'refused',
    })
  })
})

describe('a journal of a newer version', () => {
  it.each([
    ['a newer line', () => JSON.stringify({ v: 3, n: 1, what: 'ever' })],
    ['a newer kind of entry', () => JSON.stringify({ id: 'x', kind: 'update', of: 'a newer version' })],
    [
      'a newer kind of encryption',
      () => {
        const sealed = encrypt('{}', key, 'journal')
        sealed[8] = 2
        return JSON.stringify({ sealed: sealed.toString('base64') })
      },
    ],
  ])('is left unchanged and reported, for %s; attempts are on disk beside it', async (_what, line) => {
    const first = open()
    await attempt(first, 'one', true)
    write([...lines(), line()])
    const before = disk.get(path)!
    const headBefore = disk.get(head)!

    const journal = open()
    expect(await attempts(journal)).toEqual({ one: 'unclear' })
    expect(await journal.incompleteReason()).toBe('newer')
    expect(journal.notice).toHaveBeenLastCalledWith(expect.stringContaining('newer version of Slipway'))
    const id = await begin(journal, 'two')
    expect(await attempts(open())).toEqual({ one: 'unclear', two: 'unclear' })
    await journal.endCreation(id, { state: 'refused', failure: refusal })
    expect(disk.get(path)).toEqual(before)
    expect(disk.get(head)).toEqual(headBefore)
    expect(disk.names().filter((name) => name.includes('unreadable'))).toEqual([])

    // A version that can read the journal adds what happened meanwhile.
    write(before.toString().split('\n').slice(0, -2))
    const able = open()
    expect(await attempts(able)).toEqual({ one: 'unclear', two: 'refused' })
    expect(await able.incompleteReason()).toBeNull()
    expect(disk.names()).toEqual([head, path])
    expect(await attempts(open())).toEqual({ one: 'unclear', two: 'refused' })
  })
})

test.each(Array.from({ length: 12 }, (_, calls) => calls))(
  'a full disk while a locked journal is read at last hides no attempt: after %i calls',
  async (calls) => {
    await attempt(open(), 'one', true)
    const before = lines()
    write([...before, JSON.stringify({ v: 3, n: 1, what: 'ever' })])
    await attempt(open(), 'two', true)
    write(before)
    let locked = true
    const journal = open(() => (locked ? null : key))
    expect(await journal.incompleteReason()).toBe('keychain')
    locked = false
    disk.plan(Array.from({ length: 60 }, (_, call) => (call < calls ? null : { code: 'ENOSPC', done: 0 })))
    await journal.unlock().catch(() => undefined)
    const known = await attempts(journal).catch(() => null)
    if (known) expect(known).toEqual({ one: 'unclear', two: 'unclear' })
    await attempt(journal, 'during').catch(() => undefined)
    disk.plan([])
    expect(await attempts(journal)).toMatchObject({ one: 'unclear', two: 'unclear' })
    await attempt(journal, 'after')
    expect(await attempts(open())).toMatchObject({ one: 'unclear', two: 'unclear', after: 'refused' })
  },
)

describe('what was written beside the journal of a newer version', () => {
  const meanwhile = '/data/journal.meanwhile.jsonl'

  /** A journal with `one`, and beside it what was written while a newer version's line was in it: `two`. */
  async function withMeanwhile(keyBeside: string | null): Promise<void> {
    await attempt(open(), 'one', true)
    const before = lines()
    write([...before, JSON.stringify({ v: 3, n: 1, what: 'ever' })])
    await attempt(open(keyBeside), 'two', true)
    write(before)
  }

  it('replaces no line that another key may read: the journal is set aside before', async () => {
    await withMeanwhile('cd'.repeat(32))
    const before = disk.get(path)!
    const journal = open('cd'.repeat(32))
    expect(await attempts(journal)).toEqual({ two: 'unclear' })
    expect(await journal.incompleteReason()).toBe('gap')
    expect(asides('unreadable').map((name) => disk.get(name)!.equals(before))).toEqual([true])
    expect(journal.notice).toHaveBeenLastCalledWith(
      expect.stringContaining(asides('unreadable')[0]!.split('/').at(-1)!),
    )
    expect(disk.get(meanwhile)).toBeNull()
    expect(await attempts(open())).toMatchObject({ one: 'unclear' })
  })

  it.each(Array.from({ length: 14 }, (_, calls) => calls))(
    'hides nothing if the disk is full from call %i on while the journal is set aside',
    async (calls) => {
      await withMeanwhile('cd'.repeat(32))
      const before = disk.get(path)!
      const full = { code: 'ENOSPC', done: 0 } as const
      disk.plan(Array.from({ length: 60 }, (_, call) => (call < calls ? null : full)))
      const journal = open('cd'.repeat(32))
      for (let time = 0; time < 3; time += 1) {
        expect(await journal.incompleteReason().catch(() => 'unreadable')).not.toBeNull()
      }
      expect(asides('unreadable').length).toBeLessThanOrEqual(1)
      disk.plan([])
      const later = open('cd'.repeat(32))
      expect(await later.incompleteReason()).toBe('gap')
      expect(await attempts(later)).toEqual({ two: 'unclear' })
      const kept = [path, ...asides('unreadable')].map((name) => disk.get(name)!.equals(before))
      expect(kept).toContain(true)
    },
  )

  it.each(['plain, and damaged', 'no file that can be used'])(
    'replaces no line that is only locked, if it is %s',
    async (what) => {
      await withMeanwhile(null)
      if (what === 'plain, and damaged') {
        const text = disk.get(meanwhile)!.toString()
        disk.put(meanwhile, text.replace('"two"', '"few"'))
      } else disk.put(meanwhile, Buffer.alloc(largestFile + 1))
      let locked = true
      const journal = open(() => (locked ? null : key))
      expect(await journal.incompleteReason()).not.toBeNull()
      await attempt(journal, 'three')
      locked = false
      await journal.unlock()
      expect(await attempts(journal)).toMatchObject({ one: 'unclear', three: 'refused' })
      expect(await journal.incompleteReason()).toBe('gap')
      expect(await attempts(open())).toMatchObject({ one: 'unclear', three: 'refused' })
    },
  )
})

describe('a journal that grows', () => {
  it('keeps unconfirmed and created attempts, whatever else happens', async () => {
    const base = { startedAt: '2026-11-20T10:00:00.000Z', endedAt: null, ...place }
    const creation = { ...base, kind: 'creation', source: 'repohost', deploymentId: null, failure: null }
    const noise = Array.from({ length: 10_000 }, (_, index) => ({
      ...base,
      id: `noise-${index}`,
      kind: 'failure',
      action: 'List deployments',
      failure: { ...refusal, serviceWords: 'no '.repeat(500) },
    }))
    const entries = [
      { ...creation, id: 'a', name: 'unclear-one', state: 'unclear' },
      { ...creation, id: 'b', name: 'created-one', state: 'created', deploymentId: 'd' },
      ...noise,
    ]
    write(entries.map((entry) => JSON.stringify(entry)))
    await begin(open(), 'next')
    expect(lines().length).toBeLessThan(5_001)
    expect(disk.get(path)!.length).toBeLessThan(5_000_000)
    const again = open()
    const states = (await again.creations()).map(({ name, state }) => [name, state])
    expect(states).toEqual([
      ['unclear-one', 'unclear'],
      ['created-one', 'created'],
      ['next', 'unclear'],
    ])
    expect(await again.incompleteReason()).toBeNull()
  })

  it('keeps an absent attempt, which blocks its name', async () => {
    const base = { startedAt: '2026-11-20T10:00:00.000Z', endedAt: null, ...place, source: 'repohost' }
    const created = Array.from({ length: 10_000 }, (_, index) => ({
      ...{ ...base, id: `c-${index}`, kind: 'creation', name: `c-${index}`, state: 'created' },
      ...{ deploymentId: `d-${index}`, failure: null },
    }))
    const sought = { ...base, kind: 'creation', name: 'sought', deploymentId: null, failure: lost }
    const entries = [{ ...sought, id: 'a', state: 'not-created' }, ...created]
    write(entries.map((entry) => JSON.stringify(entry)))
    await begin(open(), 'next')
    expect(lines().length).toBeLessThan(5_001)
    const attempts = await open().creations()
    expect(blockingAttempt(attempts, 'sought')).toMatchObject({ id: 'a' })
  })

  // Tens of megabytes are written, which is slow on a busy machine.
  it('refuses attempts long before it becomes unreadable, and says so; running ones have room to be completed', async () => {
    const base = { startedAt: '2026-11-20T10:00:00.000Z', endedAt: null, ...place, source: 'repohost' }
    // An earlier version allowed names of any length.
    const long = 'x'.repeat(20_000)
    const unclear = Array.from({ length: 1_214 }, (_, index) => ({
      ...{ ...base, id: `u-${index}`, kind: 'creation', name: long + index, state: 'unclear' },
      ...{ deploymentId: null, failure: lost },
    }))
    write(unclear.map((entry) => JSON.stringify(entry)))
    const journal = open()
    const begun: string[] = []
    let refused: unknown = null
    while (refused === null) {
      await begin(journal, `begun-${begun.length}`).then(
        (id) => begun.push(id),
        (error: unknown) => (refused = error),
      )
      await journal.noteFailure(calledPlace, `Action ${begun.length}`, new Date(), {
        ...lost,
        issues: Array.from({ length: 20 }, () => ({ path: ['x'.repeat(90)], message: 'm'.repeat(100) })),
      })
    }
    expect(refused).toBeInstanceOf(FullJournalError)
    expect((refused as FullJournalError).failure.advice).toContain('move journal.jsonl')
    expect(begun.length).toBeGreaterThan(3)
    for (const id of begun) await journal.endCreation(id, { state: 'created', deploymentId: id })
    expect(disk.get(path)!.length).toBeLessThan(largestFile / 2 + 4_000_000)
    const again = open()
    expect(await again.incompleteReason()).toBeNull()
    const states = (await again.creations()).map(({ name, state }) => [name, state])
    expect(states).toEqual([
      ...unclear.map(({ name }) => [name, 'unclear']),
      ...begun.map((_, index) => [`begun-${index}`, 'created']),
    ])
  })

  it('continues without entries that have no room', async () => {
    const base = { startedAt: '2026-11-20T10:00:00.000Z', endedAt: null, ...place, source: 'repohost' }
    const unclear = Array.from({ length: 2_200 }, (_, index) => ({
      ...{ ...base, id: `u-${index}`, kind: 'creation', name: `u-${index}`, state: 'unclear' },
      ...{ deploymentId: null, failure: { ...lost, message: 'm'.repeat(20_000) } },
    }))
    await begin(open(), 'encrypted')
    write([...lines(), ...unclear.map((entry) => JSON.stringify(entry))])
    const size = disk.get(path)!.length
    const locked = open(null)
    await locked.noteFailure(calledPlace, 'List deployments', new Date(), refusal)
    await expect(begin(locked, 'one')).rejects.toThrow(FullJournalError)
    expect(disk.get(path)!.length).toBe(size)
    expect(locked.report).toHaveBeenCalledTimes(1)
    expect((await locked.list(1))[0]).toMatchObject({ action: 'List deployments' })
  })

  it('writes little of a large answer', async () => {
    const journal = open()
    const large = 'x'.repeat(100_000)
    const huge = {
      ...refusal,
      message: large,
      advice: large,
      serviceWords: large,
      issues: Array.from({ length: 1000 }, () => ({ path: [large, large], message: large })),
    }
    const id = await begin(journal, 'one')
    await journal.endCreation(id, { state: 'unclear', failure: huge })
    await journal.noteLookup(id, { lookFailure: huge })
    await journal.noteFailure(calledPlace, large, new Date(), huge)
    const longest = Math.max(...lines().map((line) => line.length))
    expect(longest).toBeLessThan(40_000)
    expect(await attempts(open())).toEqual({ one: 'unclear' })
  })

  it('works if the file is larger than anything Slipway writes', async () => {
    disk.put(path, Buffer.alloc(64 * 1024 * 1024 + 1, 'x'))
    const journal = open()
    expect(await journal.incompleteReason()).toBe('gap')
    await attempt(journal, 'one')
    expect(await attempts(open())).toEqual({ one: 'refused' })
  })
})
