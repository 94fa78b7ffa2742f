import type { Environment } from '@contract'
import type { AppLink } from '@contract/core/app-link'
import { foldName } from '@contract/core/fold-name'
import { deploymentPath } from '../display/deployment-path'

/** The path of the screen that a link opens. */
export const pathOf = ({ screen, deploymentId }: AppLink): string =>
  (deploymentId === null ? null : deploymentPath(deploymentId)) ?? `/${screen}`

/** The environment that a link names. The system may have changed the case of the name. */
export function environmentOf(
  { environment: name }: AppLink,
  environments: readonly Environment[],
): Environment | null {
  const alike = environments.filter((one) => foldName(one.name) === foldName(name))
  return alike.find((one) => one.name === name) ?? alike[0] ?? null
}

/** What a link opens, in words: "the deployment X". */
export function describeTarget({ screen, deploymentId }: AppLink): string {
  if (deploymentId !== null) return `the deployment ${deploymentId}`
  return {
    deployments: 'the deployments',
    repositories: 'the repositories',
    new: 'the form for a new deployment',
  }[screen]
}
