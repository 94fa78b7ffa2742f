import { builtInEnvironments, fail, failure, type StoredDraft, succeed } from '@contract'
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { createEnvironmentData } from '../../../electron/main/application/environment-data'
import { createDrafts, type Drafts } from '../../../electron/main/stored/drafts'
import { openIndexFile } from '../../../electron/main/environments/list/index-file'
import { createJournal, type Journal } from '../../../electron/main/stored/journal'
import { JournalFile } from '../../../electron/main/stored/journal/file/journal-file'
import { LineEncryption } from '../../../electron/main/stored/journal/file/line-encryption'
import { keychainEnded } from '../../../electron/main/processes/keychain/failures'
import { encryptedFile } from '../../../electron/main/files/encrypted-file'
import { createPersonal } from '../../../electron/main/stored/personal'
import { createViews, type Views } from '../../../electron/main/stored/personal/views'
import { diskRuns, FaultDisk, KilledError, someFaults, somePowerCut } from '../../support/main/fault-disk'
import { savedView } from '../../support/builders/saved-view'
import { draft as envDraft, FakeKeychain, open } from '../../support/main/environments'

vi.setConfig({ testTimeout: 3_600_000 })

const key = 'ab'.repeat(32)
const draftId = '00000000-0000-4000-8000-000000000001'

/** Whether an action was acknowledged. It may fail, or the process may end. */
const acknowledged = (act: Promise<unknown>): Promise<boolean> =>
  act.then(
    () => true,
    () => false,
  )

/** Several runs of the application, each with its faults and its end. */
const someRuns = fc.array(fc.record({ faults: someFaults(40), powerCut: somePowerCut, acts: fc.nat(8) }), {
  minLength: 1,
  maxLength: 4,
})

/** A journal as a new start opens it; null if the keychain has no key. */
const journalWith = (disk: FaultDisk, with_: string | null): Journal =>
  createJournal(
    new JournalFile('/data/journal.jsonl', new LineEncryption(() => Promise.resolve(with_)), disk.files()),
    { changed: () => undefined, report: () => undefined },
  )

const beginAttempt = (journal: Journal, name: string): Promise<string> =>
  journal.beginCreation(
    { environmentId: 'e', environmentName: 'E' },
    {
      name,
      source: 's',
      fingerprint: { salt: '', members: {}, secretNames: null },
      serviceIdentity: '',
      headersIdentity: '',
      routeIdentity: '',
      before: [],
      startedAtService: null,
    },
  )

const namesIn = async (journal: Journal): Promise<string[]> =>
  (await journal.creations()).map(({ name }) => name)

const asidesOf = (disk: FaultDisk): string[] =>
  disk.names().filter((name) => /\.(?:unreadable|damaged)-/.test(name))

it('every attempt that was acknowledged is in the journal after a restart, and the journal still works', async () => {
  const openJournal = (disk: FaultDisk, hasKey: boolean): Journal => journalWith(disk, hasKey ? key : null)
  await fc.assert(
    fc.asyncProperty(someRuns, fc.boolean(), async (runs, hasKey) => {
      const disk = new FaultDisk()
      const sent = new Map<string, string>()
      for (const [run, { faults, powerCut, acts }] of runs.entries()) {
        const journal = openJournal(disk, hasKey)
        disk.plan(faults)
        for (let act = 0; act < acts; act += 1) {
          const name = `${run}-${act}`
          const id = await beginAttempt(journal, name).catch(() => null)
          if (id === null) continue
          sent.set(name, 'sending')
          const end = { state: 'refused' as const, failure: failure('conflict', 'Taken.') }
          if (await acknowledged(journal.endCreation(id, end))) sent.set(name, 'refused')
        }
        disk.restart(powerCut)
      }
      const journal = openJournal(disk, hasKey)
      const states = new Map((await journal.creations()).map(({ name, state }) => [name, state]))
      for (const [name, state] of sent) {
        // The disk may lose how it ended. It is then looked up, and never reported as ended otherwise.
        expect(state === 'refused' ? ['refused', 'unclear'] : ['unclear']).toContain(states.get(name))
      }
      expect(await journal.incompleteReason()).toBeNull()
      await beginAttempt(journal, 'last')
      expect((await openJournal(disk, hasKey).creations()).at(-1)).toMatchObject({ name: 'last' })
    }),
    { numRuns: diskRuns(150) },
  )
})

it('a journal whose key comes back is restored completely and once, whichever call fails meanwhile', async () => {
  const other = 'cd'.repeat(32)
  /** A disk whose key was lost, with one attempt since then. */
  const lost = async (): Promise<FaultDisk> => {
    const disk = new FaultDisk()
    const first = journalWith(disk, key)
    for (const name of ['a-1', 'a-2']) await beginAttempt(first, name)
    await beginAttempt(journalWith(disk, other), 'b')
    return disk
  }
  const calm = await lost()
  const before = calm.calls
  expect(await namesIn(journalWith(calm, key))).toEqual(['a-1', 'a-2'])
  const calls = calm.calls - before
  expect(calls).toBeGreaterThan(20)

  for (let at = 0; at < calls; at += 1) {
    for (const code of ['kill', 'ENOSPC', 'EIO'] as const) {
      for (const done of [0, 0.6, 1]) {
        for (const powerCut of [null, 0, 0.5, 1]) {
          const what = `${code} in call ${at}, ${done} done, power cut ${powerCut}`
          const disk = await lost()
          const back = journalWith(disk, key)
          disk.plan([...Array.from({ length: at }, () => null), { code, done }])
          const known = await namesIn(back).catch(() => null)
          // What is known is on the disk, or in the file beside it.
          if (known && !disk.killed) expect([[], ['a-1', 'a-2']], what).toContainEqual(known)
          const goesOn = await acknowledged(beginAttempt(back, 'a-3'))
          if (!disk.killed) expect(goesOn, what).toBe(true)
          disk.restart(powerCut)
          const after = await namesIn(journalWith(disk, key))
          expect(after, what).toEqual(goesOn ? ['a-1', 'a-2', 'a-3'] : ['a-1', 'a-2'])
          expect(await namesIn(journalWith(disk, other)), what).toEqual(['b'])
          expect(await namesIn(journalWith(disk, key)), what).toEqual(after)
          expect(asidesOf(disk).length, what).toBeLessThanOrEqual(3)
        }
      }
    }
  }
})

it('no attempt is lost as keys are lost and restored: with its key it is in the journal', async () => {
  const keys = ['ab', 'cd', 'ef'].map((byte) => byte.repeat(32))
  const someKeys = fc.array(
    fc.record({ with: fc.nat(2), faults: someFaults(40), powerCut: somePowerCut, acts: fc.nat(4) }),
    { minLength: 2, maxLength: 8 },
  )
  await fc.assert(
    fc.asyncProperty(someKeys, fc.nat(2), async (runs, last) => {
      const disk = new FaultDisk()
      const begun = keys.map((): string[] => [])
      for (const [run, { with: which, faults, powerCut, acts }] of runs.entries()) {
        const journal = journalWith(disk, keys[which]!)
        disk.plan(faults)
        for (let act = 0; act < acts; act += 1) {
          const name = `${run}-${act}`
          if (await acknowledged(beginAttempt(journal, name))) begun[which]!.push(name)
        }
        disk.restart(powerCut)
      }
      const own = keys[last]!
      const known = await namesIn(journalWith(disk, own))
      expect(known.filter((name) => begun[last]!.includes(name))).toEqual(begun[last])
      expect(known).toEqual([...new Set(known)])
      const again = journalWith(disk, own)
      expect(await namesIn(again)).toEqual(known)
      await beginAttempt(again, 'last')
      expect(await namesIn(journalWith(disk, own))).toEqual([...known, 'last'])
    }),
    { numRuns: diskRuns(150) },
  )
})

/** Drafts after a start. They are written when a test says so. */
const openDrafts = (disk: FaultDisk, with_ = key): Drafts =>
  createDrafts({
    file: encryptedFile('/data/drafts.sealed', disk.files()),
    keys: { keyFor: () => Promise.resolve(succeed(with_)) },
    placeOf: () => null,
    confirm: () => Promise.resolve(true),
    changed: () => undefined,
    report: () => undefined,
    pauseMs: 2_000_000_000,
  })

const draft = (name: string, number = 1): StoredDraft => ({
  id: `00000000-0000-4000-8000-00000000000${number}`,
  content: { entered: { name, secrets: [{ name: 'KEY', value: `value of ${name}` }] } },
  notes: null,
  sentAt: null,
})

/** The name of the stored draft, which has its secret's value too. */
const nameIn = async (drafts: Drafts): Promise<string | null> => {
  const entered = (await drafts.list('e')).drafts[0]?.content.entered
  if (!entered) return null
  const { name, secrets } = entered
  const request = {
    name,
    source: 'repohost' as const,
    source_config: {},
    source_revision_config: {},
    secrets,
  }
  const target = { environmentId: 'e', baseUrl: 'https://e.example', headers: {} }
  const environment = {
    id: 'e',
    name: 'E',
    mode: 'cloud' as const,
    protected: false,
    readOnly: false,
    target,
  }
  expect(await drafts.fillIn(request, environment)).toMatchObject({
    value: { secrets: [{ name: 'KEY', value: `value of ${name}` }] },
  })
  return name
}

it('every draft that is reported as stored on disk is there after a restart, and drafts still work', async () => {
  await fc.assert(
    fc.asyncProperty(someRuns, async (runs) => {
      const disk = new FaultDisk()
      /** What may be on the disk: the last saved draft, and what was attempted since. */
      let possible = new Set<string | null>([null])
      for (const [run, { faults, powerCut, acts }] of runs.entries()) {
        const drafts = openDrafts(disk)
        await drafts.open()
        disk.plan(faults)
        for (let act = 0; act < acts; act += 1) {
          const name = `${run}-${act}`
          drafts.save('e', draft(name), true)
          possible.add(name)
          await drafts.flush()
          if (!disk.killed && (await drafts.retry(false)).storage === 'disk') possible = new Set([name])
        }
        await drafts.settle()
        disk.restart(powerCut)
      }
      const drafts = openDrafts(disk)
      await drafts.open()
      expect([...possible]).toContain(await nameIn(drafts))
      drafts.save('e', draft('last'), true)
      await drafts.flush()
      const again = openDrafts(disk)
      await again.open()
      expect(await nameIn(again)).toBe('last')
      expect(disk.names().filter((name) => name.includes('unreadable'))).toEqual([])
      // No timer of the last run remains.
      await Promise.all([drafts.flush(), again.flush()])
    }),
    { numRuns: diskRuns(150) },
  )
})

it('drafts whose key comes back are restored completely and once, whichever call fails meanwhile', async () => {
  const other = 'cd'.repeat(32)
  const keep = async (drafts: Drafts, name: string, number: number): Promise<void> => {
    drafts.save('e', draft(name, number), true)
    await drafts.flush()
  }
  const opened = async (disk: FaultDisk, with_ = key): Promise<Drafts> => {
    const drafts = openDrafts(disk, with_)
    await drafts.open()
    return drafts
  }
  const namesOf = async (drafts: Drafts): Promise<string[]> =>
    (await drafts.list('e')).drafts.map(({ content }) => content.entered.name)
  const discarded = draft('discarded', 3)
  /** A disk whose key was lost, with a draft saved since then. */
  const lost = async (): Promise<FaultDisk> => {
    const disk = new FaultDisk()
    const first = await opened(disk)
    await keep(first, 'of a', 1)
    await keep(first, 'discarded', 3)
    await keep(await opened(disk, other), 'of b', 2)
    return disk
  }
  const calm = await lost()
  const before = calm.calls
  expect(await namesOf(await opened(calm))).toEqual(['of a', 'discarded'])
  const calls = calm.calls - before
  expect(calls).toBeGreaterThan(5)

  for (let at = 0; at < calls; at += 1) {
    for (const code of ['kill', 'ENOSPC', 'EIO'] as const) {
      for (const done of [0, 0.6, 1]) {
        for (const powerCut of [null, 0, 0.5, 1]) {
          const what = `${code} in call ${at}, ${done} done, power cut ${powerCut}`
          const disk = await lost()
          disk.plan([...Array.from({ length: at }, () => null), { code, done }])
          const back = await opened(disk)
          await back.settle()
          const shown = (await namesOf(back)).includes('discarded')
          back.remove('e', discarded.id)
          await back.flush()
          const gone = shown && !disk.killed && (await back.retry(false)).storage === 'disk'
          disk.restart(powerCut)
          const again = await opened(disk)
          expect(await nameIn(again), what).toBe('of a')
          expect(await namesOf(again), what).toEqual(gone ? ['of a'] : ['of a', 'discarded'])
          again.remove('e', discarded.id)
          await keep(again, 'newer', 1)
          expect(await namesOf(await opened(disk, other)), what).toEqual(['of b'])
          expect(await namesOf(await opened(disk)), what).toEqual(['newer'])
          expect(asidesOf(disk).length, what).toBe(1)
        }
      }
    }
  }
})

/** The personal data of operators after a start; their views represent all of it. */
async function openViews(disk: FaultDisk, with_ = key): Promise<Views> {
  const personal = createPersonal({
    file: encryptedFile('/data/personal.sealed', disk.files()),
    keys: { keyFor: () => Promise.resolve(succeed(with_)) },
    changed: () => undefined,
    notice: () => undefined,
    regained: () => undefined,
    report: () => undefined,
  })
  // Its failure shows in the calls that follow.
  await personal.open().catch(() => undefined)
  return createViews({
    personal,
    exists: () => true,
    confidential: () => () => false,
    askWhich: () => Promise.resolve(null),
    askWhere: () => Promise.resolve(null),
  })
}

/** The names of the views by their identifiers; null if they can't be read. */
const viewNames = async (views: Views): Promise<Map<string, string> | null> => {
  const all = await views.list().catch(() => null)
  return all?.ok ? new Map(all.value.map(({ id, name }) => [id, name])) : null
}

it('personal data is as it was acknowledged after a restart, and can be changed', async () => {
  const act = fc.record({ number: fc.integer({ min: 1, max: 3 }), removes: fc.boolean() })
  const runs = fc.array(
    fc.record({
      faults: someFaults(40),
      isFromStart: fc.boolean(),
      powerCut: somePowerCut,
      acts: fc.array(act, { maxLength: 8 }),
    }),
    { minLength: 1, maxLength: 4 },
  )
  const ids = [1, 2, 3].map((number) => savedView(number, '').id)
  await fc.assert(
    fc.asyncProperty(runs, async (tried) => {
      const disk = new FaultDisk()
      /**
       * The names that each view may have on the disk: the acknowledged one, and any attempted since; null for none.
       */
      const possible = new Map(ids.map((id) => [id, new Set<string | null>([null])]))
      const expectPossible = (names: Map<string, string> | null): void => {
        for (const [id, some] of possible) expect([...some]).toContain(names?.get(id) ?? null)
      }
      for (const [run, { faults, isFromStart, powerCut, acts }] of tried.entries()) {
        if (isFromStart) disk.plan(faults)
        const views = await openViews(disk)
        if (!isFromStart) disk.plan(faults)
        for (const [at, { number, removes }] of acts.entries()) {
          const view = savedView(number, `${run}-${at}`)
          const some = possible.get(view.id)!
          const wanted = removes ? null : view.name
          some.add(wanted)
          const saving = removes ? views.remove([view.id]) : views.save([view])
          const saved = await saving.catch(() => null)
          if (saved?.ok) possible.set(view.id, new Set([wanted]))
          const names = await viewNames(views)
          if (names) expectPossible(names)
        }
        disk.restart(powerCut)
      }
      const views = await openViews(disk)
      const names = await viewNames(views)
      expect(names).not.toBeNull()
      expectPossible(names)
      expect(await views.save([savedView(4, 'last')])).toMatchObject({ ok: true })
      expect(await viewNames(await openViews(disk))).toEqual(
        new Map([...names!, [savedView(4, '').id, 'last']]),
      )
      expect(asidesOf(disk)).toEqual([])
    }),
    { numRuns: diskRuns(150) },
  )
})

it('personal data is restored completely and once when its key returns, whichever call fails meanwhile', async () => {
  const other = 'cd'.repeat(32)
  const [restored, removed, ofOther] = [savedView(1, 'kept'), savedView(2, 'removed'), savedView(3, 'of b')]
  const namesOf = async (views: Promise<Views>): Promise<string[]> => [
    ...((await viewNames(await views))?.values() ?? ['unreadable']),
  ]
  /** A disk whose key was lost, with a view saved since then. */
  const lost = async (): Promise<FaultDisk> => {
    const disk = new FaultDisk()
    await (await openViews(disk)).save([restored, removed])
    await (await openViews(disk, other)).save([ofOther])
    return disk
  }
  const calm = await lost()
  const before = calm.calls
  expect(await namesOf(openViews(calm))).toEqual(['kept', 'removed'])
  const calls = calm.calls - before
  expect(calls).toBeGreaterThan(5)

  for (let at = 0; at < calls; at += 1) {
    for (const code of ['kill', 'ENOSPC', 'EIO'] as const) {
      for (const done of [0, 0.6, 1]) {
        for (const powerCut of [null, 0, 0.5, 1]) {
          const what = `${code} in call ${at}, ${done} done, power cut ${powerCut}`
          const disk = await lost()
          disk.plan([...Array.from({ length: at }, () => null), { code, done }])
          const back = await openViews(disk)
          const shown = (await viewNames(back))?.has(removed.id) ?? false
          const gone = await back.remove([removed.id]).catch(() => null)
          disk.restart(powerCut)
          const left = shown && gone?.ok ? ['kept'] : ['kept', 'removed']
          const again = await openViews(disk)
          expect(await namesOf(Promise.resolve(again)), what).toEqual(left)
          await again.remove([removed.id])
          expect(await namesOf(openViews(disk)), what).toEqual(['kept'])
          expect(await namesOf(openViews(disk, other)), what).toEqual(['of b'])
          expect(await namesOf(openViews(disk)), what).toEqual(['kept'])
          expect(asidesOf(disk).length, what).toBe(1)
        }
      }
    }
  }
})

it('the index of environments is as last written or attempted, and is never damaged', async () => {
  const path = '/data/environments.json'
  const empty = {
    version: 1 as const,
    environments: [],
    unfinished: [],
    current: builtInEnvironments.cloud.id,
    integrations: {},
    rebuild: false,
  }
  await fc.assert(
    fc.asyncProperty(someRuns, async (runs) => {
      const disk = new FaultDisk()
      let possible = new Set<string>([empty.current])
      for (const [run, { faults, powerCut, acts }] of runs.entries()) {
        const index = openIndexFile(path, empty, disk.files())
        expect([...possible]).toContain(index.first.current)
        disk.plan(faults)
        for (let act = 0; act < acts; act += 1) {
          const current = `${run}-${act}`
          possible.add(current)
          if (await acknowledged(index.write({ ...empty, current }))) possible = new Set([current])
        }
        disk.restart(powerCut)
      }
      const index = openIndexFile(path, empty, disk.files())
      expect([...possible]).toContain(index.first.current)
      expect(index.first.rebuild).toBe(false)
      await index.write({ ...empty, current: 'last' })
      expect(openIndexFile(path, empty, disk.files()).first.current).toBe('last')
    }),
    { numRuns: diskRuns(150) },
  )
})

it('nothing of a removed environment is left after a restart, and what others have stays', async () => {
  const cachePath = (id: string): string => `/data/cache/${id}.db`

  /** The parts of one process of the application, with a disk and the entries of a keychain. */
  function openApplication(disk: FaultDisk, entries: Map<string, string>) {
    const files = disk.files()
    let over = false
    const isDead = (): boolean => over || disk.killed
    const keychain = new FakeKeychain()
    keychain.entries = entries
    for (const name of ['get', 'set', 'delete', 'findAll'] as const) {
      const living = keychain[name] as (...args: unknown[]) => Promise<unknown>
      const mortal = (...args: unknown[]) =>
        isDead() ? Promise.resolve(fail(keychainEnded())) : living(...args)
      Object.assign(keychain, { [name]: mortal })
    }
    const drafts = createDrafts({
      file: encryptedFile('/data/drafts.sealed', files),
      keys: { keyFor: () => Promise.resolve(succeed(key)) },
      placeOf: () => null,
      confirm: () => Promise.resolve(true),
      changed: () => undefined,
      report: () => undefined,
      pauseMs: 2_000_000_000,
    })
    const { environments } = open({
      keychain,
      files,
      userDataFolder: '/data',
      forget: (id) => environmentData.forget(id),
    })
    const environmentData = createEnvironmentData({
      filesSetAside: () => Promise.resolve(disk.names().filter((name) => /damaged|unreadable/.test(name))),
      environments,
      drafts,
      personal: { environments: () => [], forget: () => Promise.resolve() },
      watches: { environments: () => [], forget: () => Promise.resolve() },
      cache: {
        stored: () => Promise.resolve(cached(disk)),
        remove: (id) => files.remove(cachePath(id)),
      },
      synchronisation: { forget: () => Promise.resolve() },
      report: () => undefined,
    })
    const own = (): string[] =>
      environments.state().environments.flatMap(({ id, storage }) => (storage === 'built-in' ? [] : [id]))
    return { drafts, environments, environmentData, own, isDead, end: () => (over = true) }
  }
  const cached = (disk: FaultDisk): string[] =>
    disk.names().flatMap((name) => /^\/data\/cache\/(.+)\.db$/.exec(name)?.[1] ?? [])

  const act = fc.record({ do: fc.constantFrom('add', 'fill', 'remove'), who: fc.nat(3) })
  const runs = fc.array(
    fc.record({ faults: someFaults(60), powerCut: somePowerCut, acts: fc.array(act, { maxLength: 10 }) }),
    { minLength: 1, maxLength: 3 },
  )
  let leftOver = 0
  await fc.assert(
    fc.asyncProperty(runs, async (tried) => {
      const disk = new FaultDisk()
      const entries = new Map<string, string>()
      /** The environments that are never removed, with what they certainly have. */
      const filled = new Set<string>()
      for (const { faults, powerCut, acts } of tried) {
        const { drafts, environments, own, isDead, end } = openApplication(disk, entries)
        await environments.load()
        await drafts.open()
        disk.plan(faults)
        for (const { do: what, who } of acts) {
          const id = own()[who]
          if (what === 'add') await environments.save(envDraft({ name: `E${entries.size}-${own().length}` }))
          else if (id === undefined) continue
          else if (what === 'remove') {
            filled.delete(id)
            const { name = null } = environments.state().environments.find((one) => one.id === id) ?? {}
            await environments.remove(id, name)
          } else {
            drafts.save(
              id,
              { id: draftId, content: { entered: { name: id, secrets: [] } }, notes: null, sentAt: null },
              true,
            )
            await drafts.flush()
            if (isDead()) break
            disk.put(cachePath(id), 'cached')
            if ((await drafts.retry(false)).storage === 'disk') filled.add(id)
          }
        }
        end()
        disk.restart(powerCut)
      }
      const { drafts, environments, environmentData, own } = openApplication(disk, entries)
      await environments.load()
      await drafts.open()
      const before = [...cached(disk), ...(drafts.environments() ?? [])]
      if (before.some((id) => !own().includes(id))) leftOver += 1
      await environmentData.settleLeftOver()
      const remaining = { caches: cached(disk), drafts: drafts.environments() }
      expect(own()).toEqual(expect.arrayContaining([...filled]))
      for (const ids of [remaining.caches, remaining.drafts ?? []]) {
        expect(own()).toEqual(expect.arrayContaining(ids))
        expect(ids).toEqual(expect.arrayContaining([...filled]))
      }
      await drafts.flush()
      const again = openApplication(disk, entries)
      await again.drafts.open()
      expect(again.drafts.environments(), 'on the disk').toEqual(remaining.drafts)
    }),
    { numRuns: diskRuns(300) },
  )
  expect(leftOver, 'cases in which a crash has left something').toBeGreaterThan(0)
})

it('a disk that syncs everything loses nothing, and one that syncs nothing loses what it can', async () => {
  const disk = new FaultDisk()
  const files = disk.files()
  const file = await files.open('/data/a', 'append')
  await file.append(Buffer.from('synced'))
  await file.sync()
  await files.syncFolder('/data')
  await file.append(Buffer.from(' lost'))
  disk.restart(0)
  expect(disk.get('/data/a')!.toString()).toBe('synced')
  await expect(file.append(Buffer.from('too late'))).rejects.toThrow(KilledError)
})
