import type { ListFilters } from '@contract'
import type { KnownRepository } from '../api/known-repository'
import type { DeploymentAnswer, RepositoryAnswer, SourceRevisionConfigAnswer } from '../api/schemas'
import type { RevisionStatus } from '../api/revision-statuses'
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
  /** Its place after the page's offset, from 1: deleted deployments keep theirs for a while. */
  place: number
}

/** A revision as it is at a time. */
export interface Revision {
  id: string
  status: RevisionStatus
  createdAt: string
  updatedAt: string
  /** When its build starts and when it is deployed, in milliseconds; null if that was never to happen. */
  startsAt: number | null
  endsAt: number | null
  /** Its source_revision_config (JSON text). */
  config: string
}

/** A revision of a page. */
export interface FoundRevision extends Omit<Revision, 'config'> {
  /** The key of its deployment in the store. */
  sequence: number
  /** The bytes of its source_revision_config. */
  bytes: number
  /** Its source_revision_config (JSON text); null if that is too large for all of the page to be read at once. */
  config: string | null
}

/** A revision whose times are to be written. */
export interface RevisionTimes {
  id: string
  startsAt: number
  endsAt: number
  /** When it was interrupted, in milliseconds; null if it wasn't. */
  interruptedAt: number | null
}

/** A revision that is queued or on its way. */
export type PendingRevision = Pick<RevisionTimes, 'id' | 'startsAt' | 'endsAt'>

/** A revision that is to be made: the newest of its deployment. */
export interface NewRevision extends RevisionTimes {
  config: SourceRevisionConfigAnswer
}

/** A deployment that is about to change. Nobody else changes it meanwhile. */
export interface HeldDeployment {
  answer: DeploymentAnswer
  /** When it is gone (ISO 8601), if it is being deleted; otherwise null. */
  goneAt: string | null
  /** The revision that the change is about; null if the deployment hasn't it, or the change is about none. */
  revision: Revision | null
  /** The revisions that are queued or on their way, the oldest first. */
  pending: PendingRevision[]
}

/** What becomes of a deployment. */
export interface Change {
  answer: DeploymentAnswer
  /** When the next of its revisions is deployed (ISO 8601); null if none is to be. */
  readyAt: string | null
  /** When it is gone (ISO 8601); null if it stays. */
  goneAt: string | null
  /** The revision that it gets. */
  added?: NewRevision
  /** Its revisions that get other times. */
  moved?: RevisionTimes[]
}

/** Decides on a change, and says what to answer. Is called again if the write has to be repeated. */
export type Decide<Result> = (held: HeldDeployment) => { change: Change | null; result: Result }

/** A deployment of a tenant. */
export interface Target {
  id: string
  tenantId: string
}

/** The place of a page in the list of a deployment's revisions. No statuses mean any. */
export interface RevisionQuery {
  limit: number
  offset: number
  statuses: readonly RevisionStatus[]
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

/** What a creation says of its repository. */
export interface Reference {
  integrationId: string
  url: string
  /** The full names that its ref may have, such as `refs/heads/main`: the first that there is counts. */
  refNames: readonly string[]
}

/** What is known of a reference. */
export interface Referred {
  hasIntegration: boolean
  hasRepository: boolean
  /** Whether the refs of the repository are known. */
  hasRefs: boolean
  /** The commit of the ref; null if there is no such ref, or none is known. */
  commit: string | null
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

/** How many bytes of documents, or of revisions' configs, are read at once. A single document may be larger. */
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
  readonly revisions: {
    /** Revisions of a deployment as they are at `now` (ISO 8601), the newest first. */
    find(deployment: Target, query: RevisionQuery, now: string): Awaitable<FoundRevision[]>
    /** The same revisions with all of their configs, but for those that are gone meanwhile. */
    complete(found: readonly FoundRevision[]): Awaitable<Revision[]>
    /** A revision of a deployment; null if there is none. */
    get(deployment: Target, id: string, now: string): Awaitable<Revision | null>
  }
  readonly repositories: {
    /** The documents (JSON texts) of an integration's repositories; none if the tenant has no such integration. */
    ofIntegration(integrationId: string, tenantId: string): Awaitable<string[]>
    /** What is known of a reference of a tenant. */
    find(reference: Reference, tenantId: string): Awaitable<Referred>
    /** Puts repositories in place of those that their integrations have, with the entries. */
    replace(repositories: readonly KnownRepository[], entries: readonly AuditEntry[]): Promise<void>
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
    /** Removes entries that needn't be kept, some at a time. */
    prune(): Promise<void>
  }
  /**
   * Creates a deployment with its revision, its tracing project and its entry, and settles once they are on disk. If
   * something of its tenant holds the name, writes nothing and tells what it is.
   */
  create(deployment: StoredDeployment, entry: AuditEntry): Promise<NameHolder>
  /**
   * Changes a deployment as it is at `now` (ISO 8601), and settles once that and its entry are on disk. Gives null,
   * without a call of `decide`, if the tenant has no such deployment. Where nothing changes, there is no entry.
   *
   * @param revisionId the revision that the change is about
   */
  change<Result>(
    deployment: Target,
    revisionId: string | null,
    now: string,
    decide: Decide<Result>,
    entry: AuditEntry,
  ): Promise<Result | null>
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
