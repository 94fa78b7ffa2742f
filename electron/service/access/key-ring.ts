import { timingSafeEqual } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { hashOf, idOf, type Role } from '../base/keys'
import { StorageFailure } from '../base/failures'
import type { Store } from '../database/store'
import type { StoredKey } from '../database/tables'

/**
 * How long the keys that were read stay valid, in milliseconds. A revocation takes effect in every instance after that.
 */
const freshMs = 2_000

/** The shortest time between two reads because of unknown keys, in milliseconds. */
const betweenMs = 250

/** How long keys stay valid while the database can't be read, in milliseconds. */
const outageMs = 60_000

/** The result of checking a key. `tenantId` is the only tenant that the key is for, or null. */
export type KeyCheck =
  | { state: 'right'; name: string; role: Role; tenantId: string | null }
  | { state: 'expired' | 'revoked'; name: string; since: string }
  | { state: 'wrong' }

export type KeyRing = ReturnType<typeof createKeyRing>

/**
 * The keys that the service accepts: those of the database, and that of the environment variable.
 *
 * @param apiKey the environment variable's, or null
 */
export function createKeyRing(keys: Pick<Store['keys'], 'all'>, apiKey: string | null) {
  const ownHash = apiKey === null ? null : hashOf(apiKey)
  const ownId = apiKey === null ? null : idOf(apiKey)
  let known = new Map<string, StoredKey>()
  let readAt = -Infinity
  let triedAt = -Infinity
  let reading: Promise<void> | null = null
  /** The next read because of unknown keys, which starts as soon as it is allowed. */
  let next: Promise<void> | null = null
  let failure: StorageFailure | null = null

  async function read(): Promise<void> {
    const startedAt = performance.now()
    try {
      known = new Map((await keys.all()).map((key) => [key.id, key]))
      readAt = startedAt
      failure = null
    } catch (error) {
      if (!(error instanceof StorageFailure) || readAt === -Infinity) throw error
      // Once the database is out of reach for too long, a revoked key could no longer be detected.
      if (performance.now() - readAt > outageMs) failure = error
    } finally {
      triedAt = performance.now()
    }
  }

  const isKnown = (id: string | null): boolean => id === null || id === ownId || known.has(id)

  function readOnce(): Promise<void> {
    reading ??= read().finally(() => (reading = null))
    return reading
  }

  async function readNext(): Promise<void> {
    await pause(Math.max(0, triedAt + betweenMs - performance.now()))
    next = null
    await readOnce()
  }

  return {
    /**
     * Brings what `isNeeded` and `check` know up to date. Reads the database again for an unknown key, which may just
     * have been added. Rejects if the database has never been read.
     */
    async refresh(key: string | null): Promise<void> {
      const id = key === null ? null : idOf(key)
      if (isKnown(id)) {
        if (performance.now() - triedAt >= freshMs) await readOnce()
        return
      }
      // A read that began before the request may have missed the key.
      if (reading !== null) await reading
      if (isKnown(id)) return
      next ??= readNext()
      await next
    },
    /** Whether requests need a key: the service was started with one, or its database has had one. */
    isNeeded: (): boolean => ownHash !== null || known.size > 0,
    /**
     * Checks a key by its hash. The time that this takes doesn't depend on how much of the key is right. Throws a
     * StorageFailure if the key isn't the environment variable's and the database couldn't be read for too long.
     */
    check(key: string, hash: string): KeyCheck {
      if (ownHash !== null && areEqual(hash, ownHash)) {
        return { state: 'right', name: 'environment variable', role: 'create', tenantId: null }
      }
      if (failure !== null) throw failure
      const found = known.get(idOf(key) ?? '')
      if (found === undefined || !areEqual(hash, found.hash)) return { state: 'wrong' }
      const { name, role, tenant_id: tenantId, expires_at: expiresAt, revoked_at: revokedAt } = found
      if (revokedAt !== null) return { state: 'revoked', name, since: revokedAt }
      if (hasExpired(found)) return { state: 'expired', name, since: expiresAt! }
      return { state: 'right', name, role, tenantId }
    },
  }
}

/** Whether a key is neither revoked nor expired. */
export function isInForce(key: StoredKey): boolean {
  return key.revoked_at === null && !hasExpired(key)
}

function hasExpired({ expires_at: expiresAt }: StoredKey): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now()
}

/** Compares in constant time, which requires hashes of equal length. */
function areEqual(hash: string, stored: string): boolean {
  return stored.length === hash.length && timingSafeEqual(Buffer.from(hash), Buffer.from(stored))
}
