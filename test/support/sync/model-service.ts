import { type Outcome, fail, failure, succeed } from '@contract'
import type { Clock, FetchedPage, SyncSource } from '../../../electron/main/features/sync/reader'

/** Time that passes only while something waits or ticks. Immediate answers come before any wait ends. */
export class TestClock implements Clock {
  private time = Date.UTC(2026, 0, 1)

  now(): number {
    return this.time
  }

  /** A time that no other event has. */
  tick(): number {
    this.time += 1
    return this.time
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearImmediate(timer)
        signal.removeEventListener('abort', end)
        resolve()
      }
      const timer = setImmediate(() => {
        this.time += ms
        end()
      })
      signal.addEventListener('abort', end)
    })
  }
}

/** Pseudo-random numbers from 0 up to 1 (mulberry32): the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

export interface ModelDeployment {
  id: string
  name: string
  created: number
  updated: number
  version: number
}

/** The order of the list. `shuffled` is stable but arbitrary; `restless` changes with every call. */
export type Order = 'newest' | 'oldest' | 'changed' | 'changed-last' | 'name' | 'shuffled' | 'restless'

/** The service's faults, and changes by others: probabilities for each call. */
export interface Behaviour {
  size: number
  order: Order
  insert: number
  remove: number
  update: number
  /** How often an event of the three kinds above may happen. */
  events: number
  /**
   * How often many deployments may change at once, at the worst moment for a list sorted by change: the ones that
   * were read first when the end is requested, and random ones when the beginning is.
   */
  bursts: number
  burst: number
  /** How many times the list may change its order. */
  reorders: number
  reorder: number
  /** A page with fewer items than requested, possibly none. */
  short: number
  /** An earlier answer, to whatever was requested then. */
  repeat: number
  /** A page with its items out of order. */
  disorder: number
  fail: number
  /** What the returned offset means. */
  offsets: 'items' | 'asked' | 'tokens'
  /** How many deployments fit into an answer, which has one at least. */
  room: number
  /** One in how many deployments is so large that it leaves no room for another. */
  rarity: number
}

/** A deployment service with every fault that the interface allows, and more. */
export class ModelService implements SyncSource {
  readonly deployments = new Map<string, ModelDeployment>()
  calls = 0
  private order: Order
  private eventsLeft: number
  private burstsLeft: number
  private reordersLeft: number
  private readonly shuffle = new Map<string, number>()
  private readonly answers: string[] = []

  constructor(
    private readonly behaviour: Behaviour,
    private readonly random: () => number,
    private readonly clock: TestClock,
  ) {
    this.order = behaviour.order
    this.eventsLeft = behaviour.events
    this.burstsLeft = behaviour.bursts
    this.reordersLeft = behaviour.reorders
    for (let index = 0; index < behaviour.size; index += 1) this.insert()
    for (const deployment of this.deployments.values()) {
      if (this.chance(0.3)) this.change(deployment)
    }
  }

  /** Whether others have finished changing it. */
  get quiet(): boolean {
    return this.eventsLeft <= 0 && this.burstsLeft <= 0
  }

  insert(): void {
    const id = Array.from({ length: 8 }, () => Math.floor(this.random() * 36).toString(36)).join('')
    const now = this.clock.tick()
    const name = `agent-${Math.floor(this.random() * 1e6).toString(36)}`
    this.deployments.set(id, { id, name, created: now, updated: now, version: 1 })
  }

  change(deployment: ModelDeployment): void {
    deployment.version += 1
    deployment.updated = this.clock.tick()
  }

  remove(): void {
    const id = this.pick()
    if (id !== undefined) this.deployments.delete(id)
  }

  async fetchPage(offset: number, limit: number): Promise<Outcome<FetchedPage>> {
    if (offset === 0 || offset + limit >= this.deployments.size) this.burst(offset)
    return this.answer(() => this.page(offset, limit))
  }

  async fetchByIds(ids: string[]): Promise<Outcome<FetchedPage>> {
    return this.answer(() => {
      const found = this.sorted().filter(({ id }) => ids.includes(id))
      return this.text(this.maul(this.fitting(found)), found.length)
    })
  }

  private async answer(page: () => string): Promise<Outcome<FetchedPage>> {
    this.calls += 1
    this.disturb()
    const sentAt = this.clock.tick()
    if (this.chance(this.behaviour.fail)) {
      return fail(failure('service-error', 'The service failed.', { retryable: true }))
    }
    const earlier = this.answers[Math.floor(this.random() * this.answers.length)]
    const text = earlier !== undefined && this.chance(this.behaviour.repeat) ? earlier : page()
    if (this.answers.length < 200) this.answers.push(text)
    return succeed({ body: Buffer.from(text), span: { sentAt, receivedAt: this.clock.tick() } })
  }

  private page(offset: number, limit: number): string {
    const place = this.behaviour.offsets === 'tokens' ? (offset / 7) * limit : offset
    if (!Number.isInteger(place)) return this.text([], offset)
    const items = this.maul(this.fitting(this.sorted().slice(place, place + limit)))
    if (this.behaviour.offsets === 'tokens') return this.text(items, offset + 7)
    return this.text(items, offset + (this.behaviour.offsets === 'items' ? items.length : limit))
  }

  /** The first items, as many as fit into an answer. */
  private fitting(items: ModelDeployment[]): ModelDeployment[] {
    let size = 0
    const { room, rarity } = this.behaviour
    const sizeOf = ({ id }: ModelDeployment) =>
      Number.parseInt(id.slice(0, 4), 36) % rarity === 0 ? room : 1
    const first = items.findIndex((item) => (size += sizeOf(item)) > room)
    return first === -1 ? items : items.slice(0, Math.max(1, first))
  }

  /** Removes and shuffles items of a page, as the behaviour says. */
  private maul(items: ModelDeployment[]): ModelDeployment[] {
    let result = items
    if (this.chance(this.behaviour.short)) {
      result = result.slice(0, Math.floor(this.random() * (result.length + 1)))
    }
    if (this.chance(this.behaviour.disorder)) {
      result = [...result].sort(() => this.random() - 0.5)
    }
    return result
  }

  private sorted(): ModelDeployment[] {
    const all = [...this.deployments.values()]
    const rank = (id: string): number => {
      let value = this.shuffle.get(id)
      if (value === undefined || this.order === 'restless') {
        value = this.random()
        this.shuffle.set(id, value)
      }
      return value
    }
    switch (this.order) {
      case 'newest':
        return all.sort((one, other) => other.created - one.created)
      case 'oldest':
        return all.sort((one, other) => one.created - other.created)
      case 'changed':
        return all.sort((one, other) => other.updated - one.updated)
      case 'changed-last':
        return all.sort((one, other) => one.updated - other.updated)
      case 'name':
        return all.sort((one, other) => (one.name + one.id < other.name + other.id ? -1 : 1))
      case 'shuffled':
      case 'restless': {
        const ranks = new Map(all.map(({ id }) => [id, rank(id)]))
        return all.sort((one, other) => (ranks.get(one.id) ?? 0) - (ranks.get(other.id) ?? 0))
      }
    }
  }

  private disturb(): void {
    const { insert, remove, update, reorder } = this.behaviour
    if (this.eventsLeft > 0) {
      const kinds: [number, () => void][] = [
        [insert, () => this.insert()],
        [remove, () => this.remove()],
        [
          update,
          () => {
            const deployment = this.deployments.get(this.pick() ?? '')
            if (deployment) this.change(deployment)
          },
        ],
      ]
      for (const [probability, act] of kinds) {
        for (let count = 0; count < 4 && this.chance(probability); count += 1) {
          act()
          this.eventsLeft -= 1
        }
      }
    }
    if (this.reordersLeft > 0 && this.chance(reorder)) {
      const orders: Order[] = ['newest', 'oldest', 'changed', 'name', 'shuffled']
      this.order = orders[Math.floor(this.random() * orders.length)] as Order
      this.shuffle.clear()
      this.reordersLeft -= 1
    }
  }

  private burst(offset: number): void {
    if (this.burstsLeft <= 0 || !this.chance(this.behaviour.burst)) return
    this.burstsLeft -= 1
    const all = this.sorted()
    const count = 1 + Math.floor(this.random() * 30)
    const some = offset === 0 ? all.filter(() => this.chance(count / all.length)) : all.slice(0, count)
    for (const deployment of some) this.change(deployment)
  }

  private pick(): string | undefined {
    const ids = [...this.deployments.keys()]
    return ids[Math.floor(this.random() * ids.length)]
  }

  private chance(probability: number): boolean {
    return probability > 0 && this.random() < probability
  }

  private text(items: ModelDeployment[], offset: number): string {
    const resources = items.map(({ id, name, created, updated, version }) => ({
      id,
      name,
      source: 'repohost',
      source_config: {},
      source_revision_config: { repo_ref: `v${version}` },
      secrets: [{ name: 'TOKEN', value: 'readable' }],
      created_at: new Date(created).toISOString(),
      updated_at: new Date(updated).toISOString(),
      status: 'READY',
    }))
    return JSON.stringify({ resources, offset })
  }
}
