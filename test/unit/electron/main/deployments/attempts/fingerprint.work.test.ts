import type * as Crypto from 'node:crypto'
import { type CreateRequest, readNamed } from '@contract'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  compare,
  comparableLimits,
  fingerprintOf,
  isComparable,
} from '../../../../../../electron/main/deployments/attempts/fingerprint'

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

const requestWith = (configMap: Record<string, unknown>): CreateRequest => ({
  name: 'agent',
  source: 'internal_docker',
  source_config: { resource_spec: { volumes: [{ name: 'v', configMap }] } },
  source_revision_config: { image_uri: 'internal/agent:1' },
  secrets: [],
})

/** An object in so many levels, each under a name as long as this. */
const nested = (levels: number, length: number, inside: unknown): Record<string, unknown> => {
  let value = inside
  for (let level = 0; level < levels; level += 1) value = { ['k'.repeat(length)]: value }
  return value as Record<string, unknown>
}

const ones = (count: number): number[] => Array.from({ length: count }, () => 1)

describe('comparing costs no more than', () => {
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

  it('that of its values by the longest path, however deep they are', () => {
    const { deployments, unreadable } = named(nested(24, 10_000, ones(4_900)))
    expect(unreadable).toBe(0)
    compare(fingerprintOf(requestWith({})), deployments[0]!)
    expect(work.characters).toBeLessThan(4_900 * 24 * 120)
  })

  it('the same of a request that is as large as one may be', () => {
    const { values } = comparableLimits
    const request = requestWith(nested(20, 100_000, ones(values - 100)))
    expect(isComparable(request)).toBe(true)
    fingerprintOf(request)
    expect(work.characters).toBeLessThan(values * 20 * 120)
  })
})

describe('a name that is longer than any', () => {
  it('still tells two requests apart, and is the same in what was answered', () => {
    const long = (last: string) => requestWith({ ['k'.repeat(1_000) + last]: 'v' })
    const print = fingerprintOf(long('a'))
    expect(fingerprintOf(long('a'), print.salt)).toEqual(print)
    expect(fingerprintOf(long('b'), print.salt).members).not.toEqual(print.members)
  })
})

describe('a request', () => {
  it('is too large to be compared with more values or levels', () => {
    const { values, levels } = comparableLimits
    expect(isComparable(requestWith({ a: ones(values - 100) }))).toBe(true)
    expect(isComparable(requestWith({ a: ones(values) }))).toBe(false)
    expect(isComparable(requestWith(nested(levels, 1, 1)))).toBe(false)
    expect(isComparable(requestWith(nested(100_000, 1, 1)))).toBe(false)
  })
})
