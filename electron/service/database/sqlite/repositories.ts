import type { RepositoryAnswer } from '../../api/schemas'
import type { Connection } from './open'

/** Prepares the statements about repositories on an open database. */
export function repositoryTable(database: Connection) {
  const insert = database.prepare<[string, number, string]>(
    'insert into repositories (integration_id, id, document) values (?, ?, ?)',
  )
  const select = database.prepare<[string]>(
    'select document from repositories where integration_id = ? order by id',
  )
  const remove = database.prepare<[string]>('delete from repositories where integration_id = ?')
  return {
    /** Removes all repositories of an integration. */
    clear: (integrationId: string): void => void remove.run(integrationId),

    insert(repository: RepositoryAnswer): void {
      insert.run(repository.host_integration_id, repository.id, JSON.stringify(repository))
    },

    /** The documents (JSON texts) of an integration's repositories; none if the integration doesn't exist. */
    ofIntegration(integrationId: string): string[] {
      return (select.all(integrationId.toLowerCase()) as { document: string }[]).map((row) => row.document)
    },
  }
}
