import type { DeploymentAnswer } from '../../api/schemas'
import type { Store, Target } from '../../database/store'

/** A deployment as it is at `now` (ISO 8601); null if there is none. */
export async function readDeployment(
  store: Store,
  { id, tenantId }: Target,
  now: string,
): Promise<DeploymentAnswer | null> {
  const found = await store.deployments.find({ tenantId, limit: 1, offset: 0, deployment_ids: id }, now)
  const [document] = await store.deployments.documents(found, now)
  return document === undefined ? null : (JSON.parse(document) as DeploymentAnswer)
}
