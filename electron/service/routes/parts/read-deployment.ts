import type { DeploymentAnswer } from '../../api/schemas'
import type { IsThere } from '../../archives/removal'
import type { Store, Target } from '../../database/store'

/** The document (JSON text) of a deployment at `now` (ISO 8601); null if there is none. */
export async function readDocument(
  { deployments }: Pick<Store, 'deployments'>,
  { id, tenantId }: Target,
  now: string,
): Promise<string | null> {
  const found = await deployments.find({ tenantId, limit: 1, offset: 0, deployment_ids: id }, now)
  if (found.length === 0) return null
  // All but the largest are read with the page.
  return found[0]!.document ?? (await deployments.documents(found, now))[0] ?? null
}

/** A deployment at `now` (ISO 8601); null if there is none. */
export async function readDeployment(
  store: Store,
  target: Target,
  now: string,
): Promise<DeploymentAnswer | null> {
  const document = await readDocument(store, target, now)
  return document === null ? null : (JSON.parse(document) as DeploymentAnswer)
}

/** Says which of up to a hundred deployments a store has. */
export function deploymentsIn(store: Store): IsThere {
  return async (tenantId, ids) => {
    const now = new Date().toISOString()
    const query = { tenantId, limit: ids.length, offset: 0, deployment_ids: ids.join() }
    const found = await store.deployments.find(query, now)
    const documents = await store.deployments.documents(found, now)
    return new Set(documents.map((document) => (JSON.parse(document) as DeploymentAnswer).id))
  }
}
