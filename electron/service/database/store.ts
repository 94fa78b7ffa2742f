import type { ListFilters } from '@contract'
import type { DeploymentAnswer, RepositoryAnswer } from '../api/schemas'
import type { AuditEntry } from '../base/audit-entry'
import type { Role } from '../base/role'

/** What a store gives at once or by a promise. */
export type Awaitable<T> = T | Promise<T>

/** A stored deployment: its answer, and what the answer doesn't show. */
export interface StoredDeployment {
  answer: DeploymentAnswer
  /** When provisioning ends and the deployment becomes READY (ISO 8601); null if it doesn't. */
  readyAt: string | null
  tagValueIds: string[]
}

/** What holds a name: nothing (null), a deployment, or only the tracing project of an earlier one. */
export type NameHolder = 'deployment' | 'tracing project' | null

/** A deployment of a page. */
export interface FoundDeployment {
  /** A key of the store: a later deployment has a higher one. */
  sequence: number
  /** The bytes of its stored document. */
  bytes: number
  /** Its document (JSON text); null if that is too large for all of the page to be read at once. */
  document: string | null
}

/** The place of a page in the list of a tenant, and its filters. */
export type PageQuery = ListFilters & { tenantId: string; limit: number; offset: number }

/** An entry of the audit. A later one has a higher sequence. */
export interface FoundEntry {
  sequence: number
  entry: AuditEntry
}

/** A named key, without what its holder has to know. */
export interface StoredKey {
  /** The part of the key that isn't secret. */
  id: string
  name: string
  /** SHA-256 of the whole key. */
  hash: Uint8Array
  role: Role
  /** The only tenant that it is for; null for any. */
  tenantId: string | null
  /** When it was made, when it stops to hold, and when it was revoked (ISO 8601). */
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
}

/** All that an empty store is filled with. */
export interface Content {
  tenantId: string
  repositories: RepositoryAnswer[]
  /** The tracing projects whose deployments are gone. */
  leftovers: { name: string; createdAt: string }[]
  /** The oldest first. */
  deployments: StoredDeployment[]
}

/** The connections of a store to a server. */
export interface PoolUse {
  /** The server's place in the connection string, from 0. */
  server: string
  pool: 'reads' | 'writes'
  open: number
  idle: number
  /** Statements that wait for a connection. */
  waiting: number
}

/** What a store has done since it was opened, and what it uses. */
interface StoreWork {
  /** How many ends of provisionings it has written. */
  provisioned: number
  /** None where there are no connections. */
  pools: PoolUse[]
}

/** How many bytes of documents are read at once. A single document may be larger. */
export const mostBytesAtOnce = 1024 * 1024

/**
 * The service's data. SQLite and PostgreSQL implement it; nothing outside of `database` knows which one it is.
 *
 * Each method throws or rejects with a StorageFailure if the disk, the machine or the connection doesn't allow it.
 */
export interface Store {
  /** The tenant of what belongs to no other. */
  readonly tenantId: string
  readonly deployments: {
    /** The deployments of a page as it is at `now` (ISO 8601), the newest first. */
    find(query: PageQuery, now: string): Awaitable<FoundDeployment[]>
    /** The documents (JSON texts) of deployments as they are at `now` (ISO 8601), the newest first. */
    documents(found: readonly FoundDeployment[], now: string): Awaitable<string[]>
  }
  readonly repositories: {
    /** The documents (JSON texts) of an integration's repositories; none if the tenant has no such integration. */
    ofIntegration(integrationId: string, tenantId: string): Awaitable<string[]>
  }
  readonly keys: {
    /** All keys, also those that were revoked, the oldest first. */
    all(): Awaitable<StoredKey[]>
    /** Adds a key, with its entry. If one has its name and isn't revoked, changes nothing, and gives false. */
    add(key: StoredKey, entry: AuditEntry): Promise<boolean>
    /** Revokes the key of a name, with its entry. Gives false if none has it, or it is revoked already. */
    revoke(name: string, entry: AuditEntry): Promise<boolean>
  }
  readonly audit: {
    append(entries: readonly AuditEntry[]): Promise<void>
    /** Entries after a sequence, the oldest first. */
    read(after: number, most: number): Awaitable<FoundEntry[]>
    /** Removes some entries that needn't be kept. */
    prune(): Promise<void>
  }
  /**
   * Creates a deployment with its revision, its tracing project and its entry, and settles once they are on disk. If
   * something of its tenant holds the name, writes nothing and tells what it is.
   */
  create(deployment: StoredDeployment, entry: AuditEntry): Promise<NameHolder>
  /** Fills an empty store. Leaves any other unchanged, and gives false. */
  fill(content: () => Content): Promise<boolean>
  /** Rejects with a StorageFailure unless the database can be read and, if the last write failed, written. */
  check(): Promise<void>
  /** How many deployments are being provisioned. */
  provisioning(): Promise<number>
  /** What this store has done and uses. */
  work(): StoreWork
  /** Ends the work in the background and closes the database. */
  close(): Promise<void>
}
