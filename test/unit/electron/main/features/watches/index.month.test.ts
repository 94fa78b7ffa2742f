/** Days of watching: a notice for exactly what happened, once each, and nothing else. */
import { type Connection, succeed } from '@contract'
import type { SyncState } from '@contract/cache'
import { type StoredNotice, watchesSchema } from '@contract/ipc/stored-content'
import { expect, it, vi } from 'vitest'
import { createWatches, type Watches } from '../../../../../../electron/main/features/watches'
import type { StoredWatches } from '../../../../../../electron/main/features/watches/watched-memory'
import type { Seen } from '../../../../../../electron/main/features/watches/rules'
import { cachedFromSeen } from '../../../../../support/cache/cache-here'
import { environmentsLeading } from '../../../../../support/main/state'
import { brief, seen } from '../../../../../support/builders/watched'
import { isLong } from '../../../../../support/properties/runs'

const minute = 60_000
const day = 24 * 60 * minute
const stepMs = 10 * minute
const begin = Date.parse('2026-11-01T00:00:00Z')

/** A list follows 10,000 deployments, and some of the deleted ones come back. */
const [days, count] = isLong ? [30, 9_990] : [4, 450]

/** Each day, one percent of them changes: these are the hours of rollouts, and how many there are in each. */
const rolloutHours = [1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17]
const rolloutsEach = 6

/** The service: what it has at each moment, and what a test makes it do. */
class ScriptedService {
  readonly all = new Map<string, Seen>()
  readonly gone = new Map<string, Seen>()
  private readonly script: { at: number; run: () => void }[] = []
  readonly expected: string[] = []
  /** What changes with each request. Left out of an answer, it would look unchanged. */
  readonly flapping = new Set<string>()
  private next = 0
  private answers = 0

  constructor(count: number) {
    for (let index = 0; index < count; index += 1) this.set(`d${index}`, {})
  }

  set(id: string, change: Partial<Seen>): void {
    this.all.set(id, { ...(this.all.get(id) ?? seen(id)), ...change })
  }

  remove(id: string): void {
    this.gone.set(id, { ...this.all.get(id)!, isGone: true })
    this.all.delete(id)
  }

  at(at: number, run: () => void): void {
    this.script.push({ at, run })
  }

  /** A deployment that nothing else happens to. */
  fresh(): string {
    this.next += 1
    return `d${this.next}`
  }

  /** Short, in a different order each time, and with one that was not requested. */
  answer(ids: readonly string[]): Seen[] {
    this.answers += 1
    return [
      seen('somebody-else', { latest: String(this.answers) }),
      ...[...ids]
        .reverse()
        .filter((id, index) => (index + this.answers) % 7 !== 6 || this.flapping.has(id))
        .flatMap((id) => this.all.get(id) ?? []),
    ]
  }

  play(until: number): void {
    // The latest first, so that each step pops what is due.
    if (until === begin) this.script.sort((one, other) => other.at - one.at)
    for (let last = this.script.at(-1); last && last.at <= until; last = this.script.at(-1)) {
      last.run()
      this.script.pop()
    }
  }

  rollOut(at: number, forMs: number, expectedOf: (id: string) => string[]): void {
    const id = this.fresh()
    this.at(at, () => this.set(id, { latest: `${id}-2` }))
    this.at(at + forMs, () => this.set(id, { active: `${id}-2` }))
    this.expected.push(...expectedOf(id))
  }
}

let service: ScriptedService
vi.mock('../../../../../../electron/main/features/watches/read', async (original) => ({
  ...(await original<object>()),
  readFromService: (_asked: unknown, _environment: string, ids: readonly string[]) =>
    Promise.resolve(service.answer(ids)),
}))

it(`tells exactly what happened in ${days} days`, async () => {
  service = new ScriptedService(count)
  const outage = {
    from: begin + (days / 2) * day + 9 * 60 * minute,
    to: begin + (days / 2) * day + 10 * 60 * minute,
  }
  const closed = [1, days - 2].map((number) => ({
    from: begin + number * day + 18 * 60 * minute,
    to: begin + (number + 1) * day,
  }))
  const isClosed = (at: number): boolean => closed.some(({ from, to }) => at >= from && at < to)
  const isOut = (at: number): boolean => at >= outage.from && at < outage.to

  const usual = (id: string): string[] => [
    `${id} changed revision ${id}-2`,
    `${id} active active-revision ${id}-2`,
  ]
  for (let number = 1; number < days; number += 1) {
    const hour = (at: number): number => begin + number * day + at * 60 * minute
    for (const at of rolloutHours) {
      for (let each = 0; each < rolloutsEach; each += 1) service.rollOut(hour(at), 14 * minute, usual)
    }
    for (let each = 0; each < 4; each += 1) {
      service.rollOut(hour(13), 100 * minute, (id) => [...usual(id), `${id} stuck 30`])
      // Flaps for three hours.
      const flapping = service.fresh()
      service.flapping.add(flapping)
      for (let round = 0; round < 18; round += 1) {
        const status = round % 2 === 0 ? 'UNKNOWN' : 'READY'
        service.at(hour(11) + round * stepMs, () => service.set(flapping, { status }))
      }
    }
    const unsteady = service.fresh()
    service.at(hour(11), () => service.set(unsteady, { status: 'UNKNOWN' }))
    service.at(hour(12), () => service.set(unsteady, { status: 'READY' }))
    // The same again makes no notice.
    service.at(hour(14), () => service.set(unsteady, { status: 'UNKNOWN' }))
    service.at(hour(15), () => service.set(unsteady, { status: 'READY' }))
    service.expected.push(`${unsteady} changed status UNKNOWN`, `${unsteady} active`)
    const removed = service.fresh()
    service.at(hour(11), () => service.remove(removed))
    service.expected.push(`${removed} gone`)
    const added = `new${number}`
    service.at(hour(12), () => service.set(added, {}))
    service.expected.push(`${added} appeared all`)
    if (number % 4 === 2) {
      service.at(hour(16), () => {
        service.gone.delete(removed)
        service.set(removed, {})
      })
      service.expected.push(`${removed} appeared back`)
    }
  }
  // One is never active again, which makes one notice.
  service.rollOut(begin + 3 * day + 12 * 60 * minute, 60 * day, (id) => [
    `${id} changed revision ${id}-2`,
    `${id} stuck 30`,
  ])
  // It was not observed while it was in progress.
  for (const { from } of closed) {
    service.rollOut(from + 60 * minute, 14 * minute, (id) => [`${id} changed active-revision ${id}-2`])
  }

  let at = begin
  let file: Parameters<StoredWatches['write']>[0] | null = null
  const notices = new Map<string, StoredNotice>()
  const stored: StoredWatches = {
    read: () =>
      Promise.resolve({
        content: watchesSchema.parse(
          file === null
            ? { watches: [], notices: [], quiet: null, services: [] }
            : JSON.parse(JSON.stringify(file)),
        ),
      }),
    write: (content) => {
      file = content
      for (const notice of content.notices) notices.set(notice.id, notice)
      return Promise.resolve(null)
    },
    isUnread: () => false,
  }
  const { environments, serviceOf } = environmentsLeading(
    new Map([['e', { baseUrl: 'https://one.example', headers: {} }]]),
  )
  const cache = cachedFromSeen(() => [...service.all.values(), ...service.gone.values()])
  const startWatches = (): Watches =>
    createWatches({
      failures: () => Promise.resolve(succeed([])),
      stored,
      environments: {
        ...environments,
        state: () => ({ ...environments.state(), currentEnvironmentId: 'e' }),
      },
      cache,
      http: { request: () => Promise.reject(new Error('It is mocked.')) },
      stateOf: (): Connection['state'] => (isOut(at) ? 'offline' : 'online'),
      isShown: () => false,
      isOwn: () => false,
      notify: () => undefined,
      changed: () => undefined,
      report: (error) => {
        throw error
      },
      now: () => at,
      monotonic: () => at - begin,
    })
  let watches: Watches | null = null

  const synced = (): SyncState => ({
    environmentId: 'e',
    progress: null,
    last: {
      at: new Date(at).toISOString(),
      end: 'complete',
      failure: null,
      moving: false,
      covered: 0,
      gone: 0,
    },
    cache: null,
    storage: 'disk',
    intervalMinutes: 60,
    problem: null,
  })

  for (; at < begin + days * day; at += stepMs) {
    service.play(at)
    if (isClosed(at)) {
      await watches?.close()
      watches = null
      continue
    }
    if (!watches) {
      watches = startWatches()
      await watches.start()
      if (at === begin) {
        const added = await watches.calls['watches.add']({
          environmentId: 'e',
          service: serviceOf('e'),
          on: { kind: 'list', name: 'all', query: { filters: {}, search: '' } },
          tells: ['changed', 'appeared', 'gone', 'stuck', 'active'],
          stuckMinutes: 30,
          system: false,
        })
        expect(added.ok).toBe(true)
      }
    }
    await watches.tick()
    const isHour = (at - begin) % (60 * minute) === 0
    if (isHour && !isOut(at)) await watches.noteSynchronisation(synced())
    if (at === begin) expect(notices.size).toBe(0)
  }
  await watches?.close()

  const all = [...notices.values()]
  const outages = all.filter(({ kind }) => kind !== 'changes').map(({ kind }) => kind)
  expect(outages.sort()).toEqual(['reachable', 'unreachable'])
  expect(all.flatMap(({ entries }) => brief(entries)).sort()).toEqual([...service.expected].sort())
  expect(all.every(({ more }) => more === 0)).toBe(true)
})
