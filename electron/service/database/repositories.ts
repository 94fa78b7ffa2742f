import type { Transaction } from 'kysely'
import type { KnownRepository, Refs } from '../api/known-repository'
import type { Database } from './database'
import type { Tables } from './tables'

/** How many repositories one statement inserts. */
const mostInserted = 1_000

/** The repository that a creation refers to, as far as it is known. */
export interface Referred {
  hasIntegration: boolean
  hasRepository: boolean
  /** The commits of its refs, by their full names; null if they aren't known. */
  refs: Refs | null
}

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
      const unknown = { hasIntegration: false, hasRepository: false, refs: null }
      if (tenantId !== ownTenant) return unknown
      return read(async (database) => {
        const ofIntegration = database
          .selectFrom('repositories')
          .where('integration_id', '=', integrationId.toLowerCase())
          .orderBy('id')
          .limit(1)
        const found = await ofIntegration.select('refs').where('url', '=', url).executeTakeFirst()
        if (found !== undefined) {
          const refs = found.refs === null ? null : (JSON.parse(found.refs) as Refs)
          return { hasIntegration: true, hasRepository: true, refs }
        }
        const other = await ofIntegration.select('id').executeTakeFirst()
        return { ...unknown, hasIntegration: other !== undefined }
      })
    },

    /** Replaces the repositories of the integrations that these belong to. */
    async replace(transaction: Transaction<Tables>, repositories: readonly KnownRepository[]): Promise<void> {
      const integrations = [...new Set(repositories.map(({ answer }) => answer.host_integration_id))]
      if (integrations.length === 0) return
      await transaction.deleteFrom('repositories').where('integration_id', 'in', integrations).execute()
      for (let start = 0; start < repositories.length; start += mostInserted) {
        const rows = repositories.slice(start, start + mostInserted).map(({ answer, refs }) => ({
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
