import type * as Crypto from 'node:crypto'
import { type CreateRequest, readNamed } from '@contract'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  compare,
  compareInSlices,
  comparableLimits,
  fingerprintOf,
  isComparable,
} from '../../../../../../../electron/main/features/deployments/attempts/fingerprint'

/** How many characters were hashed. */
const work = vi.hoisted(() => ({ characters: 0 }))

vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof Crypto>()
  const counted = <Hash extends { update: (text: string) => Hash }>(hash: Hash): Hash => {
    const update = hash.update.bind(hash)
    hash.update = (text) => {
      work.characters += text.length
      return update(text)
    }
    return hash
  }
  return {
    ...crypto,
    createHash: (name: string) => counted(crypto.createHash(name) as never),
    createHmac: (name: string, key: string) => counted(crypto.createHmac(name, key) as never),
  }
})

beforeEach(() => {
  work.characters = 0
})

afterEach(() => void vi.restoreAllMocks())

const requestWith = (configMap: Record<string, unknown>): CreateRequest => ({
  name: 'agent',
  source: 'internal_docker',
  source_config: { resource_spec: { volumes: [{ name: 'v', configMap }] } },
  source_revision_config: { image_uri: 'internal/agent:1' },
  secrets: [],
})

/** An object with this many levels, each under a name of this length. */
const nested = (levels: number, length: number, inside: unknown): Record<string, unknown> => {
  let value = inside
  for (let level = 0; level < levels; level += 1) value = { ['k'.repeat(length)]: value }
  return value as Record<string, unknown>
}

const ones = (count: number): number[] => Array.from({ length: count }, () => 1)

describe('the work to compare is limited to', () => {
  const named = (configMap: Record<string, unknown>) => {
    const resource = { ...requestWith(configMap), id: 'd1', status: 'READY', created_at: null }
    const read = readNamed({ resources: [resource], offset: 1 }, 100, 'agent', 5_000)
    if (!read.ok) throw new Error(read.reason)
    return read.value
  }

  it('a few times the length of an answer, however long its names are', () => {
    const { deployments, unreadable } = named({ ['k'.repeat(490_000)]: ones(4_900) })
    expect(unreadable).toBe(0)
    compare(fingerprintOf(requestWith({})), deployments[0]!)
    expect(work.characters).toBeLessThan(4_000_000)
  })

  it('that of its values with the longest path, however deep they are', () => {
    const { deployments, unreadable } = named(nested(24, 10_000, ones(4_900)))
    expect(unreadable).toBe(0)
    compare(fingerprintOf(requestWith({})), deployments[0]!)
    expect(work.characters).toBeLessThan(4_900 * 24 * 120)
  })

  it('the same for a request of the largest size', () => {
    const { values } = comparableLimits
    const request = requestWith(nested(20, 100_000, ones(values - 100)))
    expect(isComparable(request)).toBe(true)
    fingerprintOf(request)
    expect(work.characters).toBeLessThan(values * 20 * 120)
  })
})

describe('lookups of many attempts', () => {
  const prints = (count: number) => Array.from({ length: count }, () => fingerprintOf(requestWith({})))
  const deployment = (version: number) => {
    const resource = {
      ...requestWith({ version, a: ones(500) }),
      id: 'd1',
      status: 'READY',
      created_at: null,
    }
    const read = readNamed({ resources: [resource], offset: 1 }, 100, 'agent', 5_000)
    if (!read.ok) throw new Error(read.reason)
    return read.value.deployments[0]!
  }

  /** The most characters hashed in one turn of the event loop while `compare` ran. */
  async function maxInOneGo(compareAll: () => Promise<unknown>): Promise<number> {
    let time = 0
    vi.spyOn(performance, 'now').mockImplementation(() => (time += 4))
    let before = work.characters
    let max = 0
    let next = setImmediate(function turn() {
      max = Math.max(max, work.characters - before)
      before = work.characters
      next = setImmediate(turn)
    })
    await compareAll()
    clearImmediate(next)
    return Math.max(max, work.characters - before)
  }

  it('compare an attempt with a deployment once, however often the list is read', async () => {
    const attempts = prints(20)
    await compareInSlices(attempts, [deployment(1)])
    const once = work.characters
    await compareInSlices(attempts, [deployment(1)])
    expect(work.characters).toBeLessThan(once * 1.2)
    await compareInSlices(attempts, [deployment(2)])
    expect(work.characters).toBeGreaterThan(once * 1.9)
  })

  it('share their turns, however many run at the same time', async () => {
    const one = await maxInOneGo(() => compareInSlices(prints(20), [deployment(3)]))
    const many = await maxInOneGo(() =>
      Promise.all(
        Array.from({ length: 20 }, (_, index) => compareInSlices(prints(5), [deployment(4 + index)])),
      ),
    )
    expect(many).toBeLessThan(one * 2)
  })

  it('end when nobody needs them any more', async () => {
    let checks = 0
    expect(await compareInSlices(prints(10), [deployment(30)], () => (checks += 1) < 3)).toBe(false)
    const two = work.characters
    work.characters = 0
    expect(await compareInSlices(prints(2), [deployment(31)])).toBe(true)
    expect(two).toBeLessThan(work.characters * 1.2)
  })
})

describe('a name that exceeds the usual length', () => {
  it('still distinguishes two requests, and matches in an answer', () => {
    const long = (last: string) => requestWith({ ['k'.repeat(1_000) + last]: 'v' })
    const print = fingerprintOf(long('a'))
    expect(fingerprintOf(long('a'), print.salt)).toEqual(print)
    expect(fingerprintOf(long('b'), print.salt).members).not.toEqual(print.members)
  })
})

describe('a request', () => {
  it("can't be compared if it has too many values or levels", () => {
    const { values, levels } = comparableLimits
    expect(isComparable(requestWith({ a: ones(values - 100) }))).toBe(true)
    expect(isComparable(requestWith({ a: ones(values) }))).toBe(false)
    expect(isComparable(requestWith(nested(levels, 1, 1)))).toBe(false)
    expect(isComparable(requestWith(nested(100_000, 1, 1)))).toBe(false)
  })
})
