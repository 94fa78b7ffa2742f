import type { ListFilters } from '@contract'
import type { KnownRepository } from '../api/known-repository'
import type { DeploymentAnswer, RepositoryAnswer, SourceRevisionConfigAnswer } from '../api/schemas'
import type { RevisionStatus } from '../api/revision-statuses'
import type { AuditEntry } from '../base/audit-entry'
import type { Role } from '../base/role'

/** The result of a store's method, which may be a promise. */
export type Awaitable<T> = T | Promise<T>

/** A stored deployment: its answer, and data that the answer doesn't show. */
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
  /** Its key in the store. Later deployments have higher ones. */
  sequence: number
  /** The size of its stored document, in bytes. */
  bytes: number
  /** Its document (JSON text); null if that is too large to be read together with the whole page. */
  document: string | null
  /** Its place after the page's offset, from 1. Deleted deployments keep their places for a while. */
  place: number
}

/** A revision at a time. */
export interface Revision {
  id: string
  status: RevisionStatus
  createdAt: string
  updatedAt: string
  /** When its build starts and when it is deployed, in milliseconds; null if it has always existed. */
  startsAt: number | null
  endsAt: number | null
  /** Its source_revision_config (JSON text). */
  config: string
}

/** A revision of a page. */
export interface FoundRevision extends Omit<Revision, 'config'> {
  /** The key of its deployment in the store. */
  sequence: number
  /** The size of its source_revision_config, in bytes. */
  bytes: number
  /** Its source_revision_config (JSON text); null if that is too large to be read together with the whole page. */
  config: string | null
}

/** The times of a revision, to be written. */
export interface RevisionTimes {
  id: string
  startsAt: number
  endsAt: number
  /** When it was interrupted, in milliseconds; null if it wasn't. */
  interruptedAt: number | null
}

/** A revision that is queued or rolling out. */
export type PendingRevision = Pick<RevisionTimes, 'id' | 'startsAt' | 'endsAt'>

/** A revision to be added. It is the newest of its deployment. */
export interface NewRevision extends RevisionTimes {
  config: SourceRevisionConfigAnswer
}

/** A deployment that is about to change. It is locked meanwhile. */
export interface HeldDeployment {
  answer: DeploymentAnswer
  /** When it is gone (ISO 8601), if it is being deleted; otherwise null. */
  goneAt: string | null
  /** The revision to change; null if the deployment doesn't have it, or the change isn't about one. */
  revision: Revision | null
  /** The revisions that are queued or rolling out, the oldest first. */
  pending: PendingRevision[]
}

/** The new state of a deployment. */
export interface Change {
  answer: DeploymentAnswer
  /** When the next of its revisions is deployed (ISO 8601); null if none will be. */
  readyAt: string | null
  /** When it is gone (ISO 8601); null if it stays. */
  goneAt: string | null
  /** The revision to add. */
  added?: NewRevision
  /** The revisions whose times change. */
  moved?: RevisionTimes[]
}

/** Decides on a change, and on the answer. It is called again if the write has to be repeated. */
export type Decide<Result> = (held: HeldDeployment) => { change: Change | null; result: Result }

/** A deployment of a tenant. */
export interface Target {
  id: string
  tenantId: string
}

/** The position of a page in the list of a deployment's revisions. No statuses means any. */
export interface RevisionQuery {
  limit: number
  offset: number
  statuses: readonly RevisionStatus[]
}

/** The position of a page in a tenant's list, and its filters. */
export type PageQuery = ListFilters & { tenantId: string; limit: number; offset: number }

/** An entry of the audit. A later one has a higher sequence. */
export interface FoundEntry {
  sequence: number
  entry: AuditEntry
}

/** A named key, without its secret part. */
export interface StoredKey {
  /** The part of the key that isn't secret. */
  id: string
  name: string
  /** SHA-256 of the whole key. */
  hash: Uint8Array
  role: Role
  /** The only tenant that it is for; null for any. */
  tenantId: string | null
  /** When it was created, when it expires, and when it was revoked (ISO 8601). */
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
}

/** The repository that a creation refers to. */
export interface Reference {
  integrationId: string
  url: string
  /** The possible full names of its ref, such as `refs/heads/main`. The first one that exists counts. */
  refNames: readonly string[]
}

/** The result of looking up a reference. */
export interface Referred {
  hasIntegration: boolean
  hasRepository: boolean
  /** Whether the refs of the repository are known. */
  hasRefs: boolean
  /** The commit of the ref; null if the ref doesn't exist, or its commit isn't known. */
  commit: string | null
}

/** The content for an empty store. */
export interface Content {
  tenantId: string
  repositories: RepositoryAnswer[]
  /** The tracing projects of deleted deployments. */
  leftovers: { name: string; createdAt: string }[]
  /** The oldest first. */
  deployments: StoredDeployment[]
}

/** The use of a store's connections to a server. */
export interface PoolUse {
  /** The server's place in the connection string, from 0. */
  server: string
  pool: 'reads' | 'writes'
  open: number
  idle: number
  /** Statements that wait for a connection. */
  waiting: number
}

/** The work of a store since it was opened, and its connections. */
interface StoreWork {
  /** How many ends of provisionings it has written. */
  provisioned: number
  /** Empty without connections. */
  pools: PoolUse[]
}

/** How many bytes of documents, or of revisions' configs, are read at once. A single one may be larger. */
export const mostBytesAtOnce = 1024 * 1024

/**
 * The service's data. SQLite and PostgreSQL implement it, and only `database` knows which one is in use.
 *
 * Each method throws or rejects with a StorageFailure if the disk, the machine or the connection fails.
 */
export interface Store {
  /** The tenant of everything that belongs to no other one. */
  readonly tenantId: string
  readonly deployments: {
    /** The deployments of a page at `now` (ISO 8601), the newest first. */
    find(query: PageQuery, now: string): Awaitable<FoundDeployment[]>
    /** The documents (JSON texts) of deployments at `now` (ISO 8601), the newest first. */
    documents(found: readonly FoundDeployment[], now: string): Awaitable<string[]>
  }
  readonly revisions: {
    /** Revisions of a deployment at `now` (ISO 8601), the newest first. */
    find(deployment: Target, query: RevisionQuery, now: string): Awaitable<FoundRevision[]>
    /** The same revisions with all configs, without those that are gone by now. */
    complete(found: readonly FoundRevision[]): Awaitable<Revision[]>
    /** A revision of a deployment; null if there is none. */
    get(deployment: Target, id: string, now: string): Awaitable<Revision | null>
  }
  readonly repositories: {
    /** The documents (JSON texts) of an integration's repositories; none if the tenant doesn't have the integration. */
    ofIntegration(integrationId: string, tenantId: string): Awaitable<string[]>
    /** Looks up a reference of a tenant. */
    find(reference: Reference, tenantId: string): Awaitable<Referred>
    /** Replaces the repositories of the integrations that these belong to, and adds the entries. */
    replace(repositories: readonly KnownRepository[], entries: readonly AuditEntry[]): Promise<void>
  }
  readonly keys: {
    /** All keys, revoked ones included, the oldest first. */
    all(): Awaitable<StoredKey[]>
    /** Adds a key with its entry. Changes nothing and gives false if a key that isn't revoked has its name. */
    add(key: StoredKey, entry: AuditEntry): Promise<boolean>
    /** Revokes the key with a name, and adds the entry. Gives false if there is none, or it is already revoked. */
    revoke(name: string, entry: AuditEntry): Promise<boolean>
  }
  readonly audit: {
    append(entries: readonly AuditEntry[]): Promise<void>
    /** Entries after a sequence, the oldest first. */
    read(after: number, most: number): Awaitable<FoundEntry[]>
    /** Removes some entries that are no longer needed. */
    prune(): Promise<void>
  }
  /**
   * Creates a deployment with its revision, its tracing project and its entry, and settles once they are on disk. If
   * the tenant already uses the name, writes nothing and gives what holds it.
   */
  create(deployment: StoredDeployment, entry: AuditEntry): Promise<NameHolder>
  /**
   * Changes a deployment as of `now` (ISO 8601), and settles once the change and its entry are on disk. Gives null,
   * without calling `decide`, if the tenant doesn't have the deployment. Adds no entry if nothing changes.
   *
   * @param revisionId the revision to change
   */
  change<Result>(
    deployment: Target,
    revisionId: string | null,
    now: string,
    decide: Decide<Result>,
    entry: AuditEntry,
  ): Promise<Result | null>
  /** Fills an empty store. Leaves any other one unchanged, and gives false. */
  fill(content: () => Content): Promise<boolean>
  /** Rejects with a StorageFailure unless the database can be read and, if the last write failed, written. */
  check(): Promise<void>
  /** How many deployments are being provisioned. */
  provisioning(): Promise<number>
  /** The work of this store, and its connections. */
  work(): StoreWork
  /** Ends the background work and closes the database. */
  close(): Promise<void>
}
