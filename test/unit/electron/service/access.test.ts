import { afterEach, beforeEach, expect, it, vi, describe } from 'vitest'
import { openAudit } from '../../../../electron/service/access/audit'
import type { AuditEntry } from '../../../../electron/service/database/tables'
import { textLog } from '../../../../electron/service/base/log'
import type { Store } from '../../../../electron/service/database/store'
import type { StoredKey } from '../../../../electron/service/database/tables'
import { createKeyRing } from '../../../../electron/service/access/key-ring'
import { hashOf, makeKey } from '../../../../electron/service/base/keys'
import fc from 'fast-check'
import { networkOf, slowDownWrongKeys } from '../../../../electron/service/access/wrong-keys'

describe('the audit', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  function open() {
    const written: AuditEntry[] = []
    const store = {
      audit: {
        append: (entries: readonly AuditEntry[]) => Promise.resolve(void written.push(...entries)),
      },
    } as unknown as Store
    return { audit: openAudit(store, textLog), written }
  }

  const refusal = (by: string, request_id: string, changes: Partial<AuditEntry> = {}): AuditEntry => ({
    at: new Date().toISOString(),
    request_id,
    by,
    tenant_id: 'one tenant',
    action: 'create',
    name: null,
    id: null,
    outcome: 'refused 403',
    ...changes,
  })

  it('counts repeated refusals of a key, and records refusals of others meanwhile', async () => {
    const { audit, written } = open()
    for (let index = 0; index < 5_000; index += 1) audit.note(refusal('loud', `loud-${index}`))
    audit.note(refusal('loud', 'other', { outcome: 'refused 409', name: 'taken' }))
    audit.note(refusal('quiet', 'quiet-1'))
    await vi.advanceTimersByTimeAsync(10_000)
    expect(written.map(({ request_id }) => request_id)).toEqual([
      ...Array.from({ length: 100 }, (_, index) => `loud-${index}`),
      'quiet-1',
    ])

    await vi.advanceTimersByTimeAsync(60_000)
    expect(written.slice(101)).toEqual([
      { ...refusal('loud', ''), at: written[99]!.at, request_id: null, outcome: 'refused 403, 4900 times' },
      { ...refusal('loud', 'other', { outcome: 'refused 409', name: 'taken' }), at: written[99]!.at },
    ])
    // In the next minute, each is recorded again.
    audit.note(refusal('loud', 'later'))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(written.at(-1)!.request_id).toBe('later')
  })

  it('writes each entry once, however long a write takes', async () => {
    const written: string[] = []
    const store = {
      audit: {
        append: async (entries: readonly AuditEntry[]) => {
          await new Promise((resolve) => setTimeout(resolve, 500))
          written.push(...entries.map(({ request_id }) => request_id!))
        },
      },
    } as unknown as Store
    const audit = openAudit(store, textLog)
    const noted = Array.from({ length: 20 }, (_, index) => `request-${index}`)
    for (const id of noted) {
      audit.note(refusal('key', id))
      await vi.advanceTimersByTimeAsync(50)
    }
    const closing = audit.close()
    await vi.advanceTimersByTimeAsync(5_000)
    await closing
    expect(written).toEqual(noted)
  })

  it('has only the common properties of requests in the entry that counts them, even at the end', async () => {
    const { audit, written } = open()
    for (let index = 0; index < 103; index += 1) {
      audit.note(refusal('loud', `loud-${index}`, { tenant_id: `tenant ${index}`, name: 'same' }))
    }
    await audit.close()
    expect(written).toHaveLength(101)
    expect(written.at(-1)).toMatchObject({ tenant_id: null, name: 'same', outcome: 'refused 403, 3 times' })
  })
})

describe('keys', () => {
  /** A table of keys that counts how often it is read. */
  function table(): { add: () => string; keys: Store['keys']; reads: () => number } {
    const rows: StoredKey[] = []
    let reads = 0
    return {
      reads: () => reads,
      /** Adds a key and returns it. */
      add: (): string => {
        const { id, key, hash } = makeKey()
        rows.push({
          id,
          hash,
          name: `key ${id}`,
          role: 'read',
          tenant_id: null,
          created_at: '2026-01-01T00:00:00Z',
          expires_at: null,
          revoked_at: null,
        })
        return key
      },
      keys: {
        all: () => {
          reads += 1
          const found = [...rows]
          return new Promise((resolve) => setTimeout(() => resolve(found), 20))
        },
      } as unknown as Store['keys'],
    }
  }

  it('knows a key that was added right after a read, or during one', async () => {
    const { add, keys } = table()
    const ring = createKeyRing(keys, null)
    const stateOf = async (key: string): Promise<string> => {
      await ring.refresh(key)
      return ring.check(key, hashOf(key)).state
    }
    expect(await stateOf(add())).toBe('right')
    expect(await stateOf(add())).toBe('right')
    const wrong = ring.refresh(makeKey().key)
    await new Promise((resolve) => setTimeout(resolve, 260))
    expect(await stateOf(add())).toBe('right')
    await wrong
  })

  it('reads rarely, however many wrong keys there are', async () => {
    const { keys, reads } = table()
    const ring = createKeyRing(keys, null)
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(Array.from({ length: 100 }, () => ring.refresh(makeKey().key)))
    }
    expect(reads()).toBeLessThanOrEqual(5)
  })

  it('waits for no read if it is the key of the environment variable', async () => {
    const { add, keys, reads } = table()
    const own = makeKey().key
    const ring = createKeyRing(keys, own)
    await ring.refresh(add())
    const before = reads()
    for (let round = 0; round < 50; round += 1) await ring.refresh(own)
    expect(reads()).toBe(before)
    expect(ring.check(own, hashOf(own)).state).toBe('right')
  })
})

describe('wrong keys', () => {
  describe('slowDownWrongKeys', () => {
    beforeEach(() => void vi.useFakeTimers())
    afterEach(() => void vi.useRealTimers())

    it('checks 20 wrong keys and one more each second, whenever they come', () => {
      const pause = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 1_500 }))
      const steps = fc.array(pause, { minLength: 1, maxLength: 300, size: 'max' })
      fc.assert(
        fc.property(steps, (pauses) => {
          const begun = performance.now()
          let looked = 0
          const wrongKeys = slowDownWrongKeys()
          for (const pause of pauses) {
            vi.advanceTimersByTime(pause)
            if (wrongKeys.wait('192.0.2.1', 'wrong') > 0) continue
            wrongKeys.note('192.0.2.1', 'wrong', false)
            looked += 1
          }
          expect(looked).toBeLessThanOrEqual(20 + (performance.now() - begun) / 1_000)
          expect(looked).toBeGreaterThanOrEqual(Math.min(pauses.length, 20))
        }),
      )
    })

    it('remembers 10,000 networks, the latest ones', () => {
      const wrongKeys = slowDownWrongKeys()
      const addressOf = (index: number): string => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`
      for (let index = 0; index <= 10_000; index += 1) {
        for (let count = 0; count < 20; count += 1) wrongKeys.note(addressOf(index), 'wrong', false)
      }
      expect(wrongKeys.wait(addressOf(0), 'another')).toBe(0)
      expect(wrongKeys.wait(addressOf(1), 'another')).toBeGreaterThan(0)
    })
  })

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '32.1.13.184.0.1.0.2'],
    ['2001:DB8:1:2::9', '32.1.13.184.0.1.0.2'],
    ['::1', '0.0.0.0.0.0.0.0'],
    ['fe80::1%eth0', '254.128.0.0.0.0.0.0'],
  ])('networkOf: %s is in %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})
