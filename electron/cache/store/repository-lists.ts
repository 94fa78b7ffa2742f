import type { Span } from '../protocol'
import { parseAnswer, readRepositories } from '@contract'
import { UnreadableAnswer, withoutSecrets } from './content'
import { isoMoment, prepareRows, toKey, type Transactions } from './database'
import type Database from 'libsql'

/** A list of repositories as the service answered it, and when (ISO 8601). */
export interface StoredRepositories {
  json: string
  fetchedAt: string
}

/** The lists of repositories in a cache, one for each integration. */
export function createRepositoryLists(db: Database.Database, transactions: Transactions) {
  const selectRepositories = prepareRows(
    db,
    'json, received_at',
    'from repositories where integration_id = ?',
  )
  const upsertRepositories = db.prepare(
    `insert into repositories (integration_id, json, sent_at, received_at) values (?, ?, ?, ?)
     on conflict (integration_id) do update
     set json = excluded.json, sent_at = excluded.sent_at, received_at = excluded.received_at
     where excluded.sent_at >= sent_at`,
  )
  const upsert = transactions.whole((...row: [key: string, json: string, ...times: number[]]): void => {
    upsertRepositories.run(...row)
  })

  return {
    /**
     * Stores an answer, unless a later one is stored. Values of secrets are emptied.
     *
     * @throws {UnreadableAnswer} if it doesn't follow the interface
     */
    write(integrationId: string, body: Uint8Array, span: Span): void {
      const answer = parseAnswer(body)
      const harmless = answer.ok ? withoutSecrets(answer.value) : undefined
      if (!readRepositories(harmless).ok) {
        throw new UnreadableAnswer('the answer is not a list of repositories')
      }
      upsert(toKey(integrationId), JSON.stringify(harmless), span.sentAt, span.receivedAt)
    },

    /** Null when it is not cached. */
    read(integrationId: string): StoredRepositories | null {
      const [row] = selectRepositories<[json: string, receivedAt: number]>(toKey(integrationId))
      const fetchedAt = isoMoment(row?.[1])
      return row && fetchedAt !== null ? { json: row[0], fetchedAt } : null
    },
  }
}
