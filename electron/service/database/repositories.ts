import type { Transaction } from 'kysely'
import type { KnownRepository, Refs } from '../api/schemas'
import { type Database, inChunks } from './database'
import type { Tables } from './tables'

/** What is known of the repository that a creation refers to: the commits of its refs, unless only it is known. */
export type Referred = 'no integration' | 'no repository' | { refs: Refs | null }

/** The statements about repositories. Integrations belong to the installation, so no other tenant has any. */
export function repositoryTable({ read }: Database, ownTenant: string) {
  return {
    /** The documents (JSON texts) of an integration's repositories; none if the tenant doesn't have the integration. */
    async ofIntegration(integrationId: string, tenantId: string): Promise<string[]> {
      if (tenantId !== ownTenant) return []
      const rows = await read((database) =>
        database
          .selectFrom('repositories')
          .select('document')
          .where('integration_id', '=', integrationId.toLowerCase())
          .orderBy('id')
          .execute(),
      )
      return rows.map(({ document }) => document)
    },

    /** The integrations of a tenant, each with the document (JSON text) of one of its repositories. */
    async integrations(tenantId: string): Promise<{ id: string; document: string }[]> {
      if (tenantId !== ownTenant) return []
      return read((database) =>
        database
          .selectFrom('repositories')
          .select(['integration_id as id', ({ fn }) => fn.min('document').as('document')])
          .groupBy('integration_id')
          .orderBy('integration_id')
          .execute(),
      )
    },

    /** Looks up a repository of a tenant. */
    async find(integrationId: string, url: string, tenantId: string): Promise<Referred> {
      if (tenantId !== ownTenant) return 'no integration'
      return read(async (database) => {
        const ofIntegration = database
          .selectFrom('repositories')
          .where('integration_id', '=', integrationId.toLowerCase())
          .orderBy('id')
          .limit(1)
        const found = await ofIntegration.select('refs').where('url', '=', url).executeTakeFirst()
        if (found !== undefined)
          return { refs: found.refs === null ? null : (JSON.parse(found.refs) as Refs) }
        const other = await ofIntegration.select('id').executeTakeFirst()
        return other === undefined ? 'no integration' : 'no repository'
      })
    },

    /** Replaces the repositories of the integrations that these belong to. */
    async replace(transaction: Transaction<Tables>, repositories: readonly KnownRepository[]): Promise<void> {
      const integrations = [...new Set(repositories.map(({ answer }) => answer.host_integration_id))]
      if (integrations.length === 0) return
      await transaction.deleteFrom('repositories').where('integration_id', 'in', integrations).execute()
      for (const some of inChunks(repositories)) {
        const rows = some.map(({ answer, refs }) => ({
          integration_id: answer.host_integration_id,
          id: answer.id,
          url: answer.url,
          document: JSON.stringify(answer),
          refs: refs && JSON.stringify(refs),
        }))
        await transaction.insertInto('repositories').values(rows).execute()
      }
    },
  }
}
