import { expect, it } from 'vitest'
import { createKeyRing } from '../../../../../electron/service/access/key-ring'
import { hashOf, makeKey } from '../../../../../electron/service/base/keys'
import type { Store, StoredKey } from '../../../../../electron/service/database/store'

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
