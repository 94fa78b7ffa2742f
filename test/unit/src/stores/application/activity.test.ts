import {
  type CreationEntry,
  failure,
  type FailureEntry,
  type JournalEntry,
  type Notices,
  type Outcome,
  passesFilter,
} from '@contract'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { nextTick, watch } from 'vue'
import { call, on } from '@/api'
import { entryLabels } from '@/screens/activity/labels'
import { useAppStore } from '@/stores/application/app'
import { firstEntries, frameMs, maxEntries, useActivityStore } from '@/stores/application/activity'
import { creationEntry } from '../../../../support/builders/creation-entry'
import { appState } from '../../../../support/page/fake-bridge'

vi.mock('@/api', () => ({ call: vi.fn(), on: vi.fn() }))

const at = (minute: number): string => `2026-11-21T10:${String(minute).padStart(2, '0')}:00.000Z`

const creation = (minute: number, state: CreationEntry['state'] = 'created'): CreationEntry =>
  creationEntry({
    id: `creation-${minute}`,
    startedAt: at(minute),
    endedAt: state === 'sending' ? null : at(minute),
    environmentId: 'one',
    environmentName: 'Production',
    state,
    source: 'repohost',
    sentTo: undefined,
  })

function failed(minute: number): FailureEntry {
  return {
    kind: 'failure',
    id: `failure-${minute}`,
    startedAt: at(minute),
    endedAt: at(minute),
    environmentId: 'one',
    environmentName: 'Production',
    action: 'List deployments',
    failure: failure('timeout', 'No answer came in time.'),
  }
}

/** The inputs of the listings so far. */
const inputs = () =>
  vi.mocked(call).mock.calls.flatMap(([name, input]) => (name === 'journal.list' ? [input] : []))

const ids = (entries: JournalEntry[]): string[] => entries.map((entry) => entry.id)

/** Lets the test send events and answer the calls, in order. */
function held() {
  const answers: ((outcome: Outcome<never>) => void)[] = []
  const listeners = new Map<string, (payload: never) => void>()
  vi.mocked(call).mockImplementation((name) =>
    name === 'journal.list'
      ? new Promise((resolve) => answers.push(resolve))
      : Promise.resolve({ ok: true, value: [] as never }),
  )
  vi.mocked(on).mockImplementation((name, listener) => {
    listeners.set(name, listener)
    return () => undefined
  })
  return {
    answer: (index: number, entries: JournalEntry[]) =>
      answers[index]?.({ ok: true, value: entries } as Outcome<never>),
    refuse: (index: number) => answers[index]?.({ ok: false, failure: failure('internal', 'Broken.') }),
    tell: (entry: JournalEntry) => listeners.get('journal.changed')?.(entry as never),
    /** The same, applied at once. */
    send: (entry: JournalEntry) => {
      listeners.get('journal.changed')?.(entry as never)
      useActivityStore().takeIn()
    },
    notices: (now: Notices) => listeners.get('app.notices')?.(now as never),
    requestCount: () => answers.length,
  }
}

describe('the journal on the screen', () => {
  beforeEach(() => {
    vi.mocked(call).mockReset()
    setActivePinia(createPinia())
  })

  it('keeps what an event reported while an older listing was in progress', async () => {
    const journal = held()
    const store = useActivityStore()
    const loading = store.load()
    journal.send(creation(5, 'created'))
    journal.answer(0, [creation(5, 'sending'), creation(4)])
    await loading
    expect(store.entries).toEqual([creation(5, 'created'), creation(4)])
  })

  it('fetches the entries again when the journal becomes readable', async () => {
    const journal = held()
    const store = useActivityStore()
    journal.notices([{ about: 'journal', text: 'Earlier entries cannot be read.' }])
    await nextTick()
    expect(journal.requestCount()).toBe(0)
    const loading = store.load()
    journal.answer(0, [])
    await loading
    journal.notices([])
    await nextTick()
    journal.answer(1, [creation(1)])
    await vi.waitFor(() => expect(ids(store.entries)).toEqual(['creation-1']))
  })

  it('puts a new entry on top and a changed one in its place', async () => {
    const journal = held()
    const store = useActivityStore()
    const loading = store.load()
    journal.answer(0, [creation(4), creation(2, 'sending')])
    await loading
    journal.send(creation(2, 'refused'))
    journal.send(failed(6))
    expect(ids(store.entries)).toEqual(['failure-6', 'creation-4', 'creation-2'])
    expect(store.entries[2]).toMatchObject({ state: 'refused' })
  })

  it('applies many events once per frame, the first at once, and loses none', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const journal = held()
    const store = useActivityStore()
    const changes = vi.fn()
    watch(() => store.entries, changes, { flush: 'sync' })
    for (let index = 0; index < 300; index += 1) journal.tell({ ...creation(1), id: `c-${index % 100}` })
    expect(ids(store.entries)).toEqual(['c-0'])
    vi.advanceTimersByTime(frameMs)
    expect(store.entries).toHaveLength(100)
    vi.advanceTimersByTime(10 * frameMs)
    expect(changes).toHaveBeenCalledTimes(2)
    journal.tell(creation(2))
    expect(store.entries[0]).toEqual(creation(2))
    vi.useRealTimers()
  })

  it('reloads what it shows once an environment leads elsewhere', async () => {
    const journal = held()
    const app = useAppStore()
    app.state = appState('a')
    const store = useActivityStore()
    const loading = store.load()
    journal.answer(0, [creation(1)])
    await loading
    const elsewhere = appState('a')
    elsewhere.environments[0]!.service = 'elsewhere'
    app.state = elsewhere
    await nextTick()
    expect(journal.requestCount()).toBe(2)
  })

  it('keeps what it shows if listing fails, and reports the failure', async () => {
    const journal = held()
    const store = useActivityStore()
    const first = store.load()
    journal.answer(0, [creation(1)])
    await first
    const second = store.load()
    journal.refuse(1)
    await second
    expect(ids(store.entries)).toEqual(['creation-1'])
    expect(store.failure?.message).toBe('Broken.')
  })

  it('drops the answer of an overtaken listing', async () => {
    const journal = held()
    const store = useActivityStore()
    const first = store.load()
    const second = store.load()
    journal.answer(1, [creation(2)])
    await second
    journal.answer(0, [creation(1)])
    await first
    expect(ids(store.entries)).toEqual(['creation-2'])
  })

  it('never grows beyond what the journal gives, but keeps what is unconfirmed', () => {
    const journal = held()
    const store = useActivityStore()
    journal.send(creation(0, 'unclear'))
    for (let count = 0; count <= maxEntries; count++) {
      journal.send({ ...creation(1), id: `n${count}` })
    }
    expect(store.entries).toHaveLength(maxEntries + 1)
    expect(store.entries.at(-1)?.id).toBe('creation-0')
    journal.send(creation(0, 'created'))
    expect(store.entries).toHaveLength(maxEntries)
  })

  it('reports that nothing matches the filter only once the journal was asked', async () => {
    const journal = held()
    const store = useActivityStore()
    const first = store.load()
    journal.answer(
      0,
      Array.from({ length: firstEntries }, (_, index) => ({ ...failed(30), id: `f${index}` })),
    )
    await first
    expect(store.mayHaveOlder).toBe(true)
    store.filter = 'creations'
    await nextTick()
    expect([store.loaded, store.shown]).toEqual([false, []])
    expect(inputs()).toEqual([
      { limit: firstEntries, name: null },
      { limit: firstEntries, name: null },
      { limit: firstEntries, filter: 'creations' },
    ])
    journal.send(creation(9))
    journal.answer(1, [failed(30)])
    journal.answer(2, [creation(3, 'sending'), creation(1)])
    await vi.waitFor(() => expect(store.loaded).toBe(true))
    expect(ids(store.shown)).toEqual(['creation-9', 'creation-3', 'creation-1'])
    expect(store.mayHaveOlder).toBe(false)
    journal.send(creation(3, 'refused'))
    journal.send(failed(40))
    expect(store.shown).toEqual([creation(9), creation(3, 'refused'), creation(1)])
    expect(ids(store.entries)).toEqual(['failure-40', 'creation-3', 'creation-9', 'failure-30'])
    store.filter = 'failures'
    await nextTick()
    journal.answer(3, [failed(30)])
    journal.answer(4, [failed(30), creation(3, 'refused')])
    await vi.waitFor(() => expect(store.loaded).toBe(true))
    expect(ids(store.shown)).toEqual(['failure-30', 'creation-3'])
    store.filter = 'all'
    await nextTick()
    expect(store.loaded).toBe(true)
  })

  it('filters creations and failures; an unconfirmed creation is both', () => {
    const entries = [creation(1), creation(2, 'refused'), creation(3, 'unclear'), failed(4)]
    const shown = (filter: 'all' | 'creations' | 'failures') =>
      ids(entries.filter((entry) => passesFilter(entry, filter)))
    expect(shown('all')).toHaveLength(4)
    expect(shown('creations')).toEqual(['creation-1', 'creation-2', 'creation-3'])
    expect(shown('failures')).toEqual(['creation-2', 'creation-3', 'failure-4'])
  })

  it('shows entries by when they began, but sorts them as the journal does, whatever the clocks say', async () => {
    const journal = held()
    const store = useActivityStore()
    const loading = store.load()
    journal.send(creation(3, 'sending'))
    journal.send(creation(3))
    journal.send(failed(5))
    journal.answer(0, [creation(1, 'unclear'), creation(9)])
    await loading
    journal.send(creation(1))
    expect(ids(store.entries)).toEqual(['failure-5', 'creation-3', 'creation-1', 'creation-9'])
    expect(ids(store.shown)).toEqual(['creation-9', 'failure-5', 'creation-3', 'creation-1'])
  })
})

describe('the labels of an entry', () => {
  it('labels the source, and shows an unknown one unchanged', () => {
    expect(entryLabels(creation(1)).detail).toBe('from repository')
    expect(entryLabels({ ...creation(1), source: 'moon_rock' }).detail).toBe('from moon_rock')
  })
})
