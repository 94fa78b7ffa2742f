import type { Refs } from '../../api/known-repository'
import type { RepositoryAnswer } from '../../api/schemas'
import { type ReferenceRow, referredOf } from '../references'
import type { Reference, Referred } from '../store'
import type { Connection } from './connection/open'

/** Prepares the statements about repositories on an open database. */
export function repositoryTable(database: Connection) {
  const insert = database.prepare<[string, number, string, string | null]>(
    'insert into repositories (integration_id, id, document, refs) values (?, ?, ?, ?)',
  )
  const selectReference = database.prepare<Record<string, string>>(
    `select exists (select 1 from repositories where integration_id = :integration) as has_integration,
            found.id is not null as has_repository, found.refs is not null as has_refs,
            (select refs.value from json_each(found.refs) refs join json_each(:names) names on names.value = refs.key
             order by names.key limit 1) as commit_sha
     from (select 1) left join repositories found indexed by repositories_by_url
       on integration_id = :integration and json_extract(document, '$.url') = :url
     order by found.id limit 1`,
  )
  const select = database.prepare<[string]>(
    'select document from repositories where integration_id = ? order by id',
  )
  const remove = database.prepare<[string]>('delete from repositories where integration_id = ?')
  return {
    /** Removes all repositories of an integration. */
    clear: (integrationId: string): void => void remove.run(integrationId),

    insert(repository: RepositoryAnswer, refs: Refs | null): void {
      const { host_integration_id, id } = repository
      insert.run(host_integration_id, id, JSON.stringify(repository), refs && JSON.stringify(refs))
    },

    /** Looks up a reference. */
    find({ integrationId, url, refNames }: Reference): Referred {
      const values = { integration: integrationId.toLowerCase(), url, names: JSON.stringify(refNames) }
      return referredOf(selectReference.get(values) as ReferenceRow)
    },

    /** The documents (JSON texts) of an integration's repositories; none if the integration doesn't exist. */
    ofIntegration(integrationId: string): string[] {
      return (select.all(integrationId.toLowerCase()) as { document: string }[]).map((row) => row.document)
    },
  }
}
