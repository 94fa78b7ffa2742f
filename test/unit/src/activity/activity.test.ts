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
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { nextTick } from 'vue'
import { call, on } from '@/app/api'
import { useAppStore } from '@/app/stores/app'
import { useActivityStore } from '@/features/activity/activity'
import { creationEntry } from '../../../support/builders/creation-entry'
import { appState } from '../../../support/page/fake-bridge'

vi.mock('@/app/api', () => ({ call: vi.fn(), on: vi.fn() }))

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
    /** The same, taken in: what follows an event waits for a frame. */
    send: (entry: JournalEntry) => {
      listeners.get('journal.changed')?.(entry as never)
      vi.advanceTimersByTime(20)
    },
    notices: (now: Notices) => listeners.get('app.notices')?.(now as never),
    requestCount: () => answers.length,
  }
}

describe('the journal on the screen', () => {
  beforeEach(() => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
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

  it('filters creations and failures; an unconfirmed creation is both', () => {
    const entries = [creation(1), creation(2, 'refused'), creation(3, 'unconfirmed'), failed(4)]
    const shown = (filter: 'all' | 'creations' | 'failures') =>
      ids(entries.filter((entry) => passesFilter(entry, filter)))
    expect(shown('all')).toHaveLength(4)
    expect(shown('creations')).toEqual(['creation-1', 'creation-2', 'creation-3'])
    expect(shown('failures')).toEqual(['creation-2', 'creation-3', 'failure-4'])
  })
})
