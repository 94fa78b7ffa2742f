import { builtInEnvironments, failure, type StoredDraft, succeed } from '@contract'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createDrafts, type Drafts } from '../../../electron/main/stored/drafts'
import { openIndexFile } from '../../../electron/main/environments/list/index-file'
import { createJournal, type Journal } from '../../../electron/main/stored/journal'
import { JournalFile } from '../../../electron/main/stored/journal/file/journal-file'
import { LineEncryption } from '../../../electron/main/stored/journal/file/line-encryption'
import { encryptedFile } from '../../../electron/main/files/encrypted-file'
import { createPersonal } from '../../../electron/main/stored/personal'
import { createViews, type Views } from '../../../electron/main/stored/personal/views'
import { FaultDisk, someFaults, somePowerCut } from '../../support/main/fault-disk'
import { savedView } from '../../support/builders/saved-view'
import { open } from '../../support/main/environments'

const key = 'ab'.repeat(32)

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
  )
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
  )
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
  )
})
