import type { Span } from '@contract/cache'
import { parseAnswer, readRepositories } from '@contract'
import { UnreadableAnswer, withoutSecrets } from './content'
import { isoMoment, prepareRows, toKey } from './database/rows'
import type { Transactions } from './database/transaction'
import { isLater } from './write'
import type Database from 'libsql'

/** A list of repositories as the service answered it, and when (ISO 8601). */
export interface StoredRepositories {
  json: string
  fetchedAt: string
}

/** The lists of repositories in a cache, one for each integration. */
export interface RepositoryLists {
  /**
   * Stores an answer, unless a later one is stored. Values of secrets are emptied.
   *
   * @throws {UnreadableAnswer} if it doesn't follow the interface
   */
  write: (integrationId: string, body: Uint8Array, span: Span) => void
  /** Null when it is not cached. */
  read: (integrationId: string) => StoredRepositories | null
}

export function createRepositoryLists(db: Database.Database, transactions: Transactions): RepositoryLists {
  const selectRepositories = prepareRows(
    db,
    'json, received_at',
    'from repositories where integration_id = ?',
  )
  const upsertRepositories = db.prepare(
    `insert into repositories (integration_id, json, sent_at, received_at) values (?, ?, ?, ?)
     on conflict (integration_id) do update
     set json = excluded.json, sent_at = excluded.sent_at, received_at = excluded.received_at`,
  )
  const spanOfRepositories = prepareRows(
    db,
    'sent_at, received_at',
    'from repositories where integration_id = ?',
  )
  const upsert = transactions.whole((key: string, json: string, span: Span): void => {
    const [stored] = spanOfRepositories<[sentAt: number, receivedAt: number]>(key)
    if (stored && !isLater(span, { sentAt: stored[0], receivedAt: stored[1] })) return
    upsertRepositories.run(key, json, span.sentAt, span.receivedAt)
  })

  return {
    write(integrationId, body, span) {
      const answer = parseAnswer(body)
      const harmless = answer.ok ? withoutSecrets(answer.value) : undefined
      if (!readRepositories(harmless).ok) {
        throw new UnreadableAnswer('the answer is not a list of repositories')
      }
      upsert(toKey(integrationId), JSON.stringify(harmless), span)
    },

    read(integrationId) {
      const [row] = selectRepositories<[json: string, receivedAt: number]>(toKey(integrationId))
      const fetchedAt = isoMoment(row?.[1])
      return row && fetchedAt !== null ? { json: row[0], fetchedAt } : null
    },
  }
}
