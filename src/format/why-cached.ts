import type { DeploymentDetail } from '@contract'

/** Why a deployment is shown from the cache, as a clause. */
export const whyCached = ({ missingAt }: NonNullable<DeploymentDetail['fromCache']>): string =>
  missingAt === undefined
    ? "the service can't be reached"
    : 'the service has no deployment with this identifier'
