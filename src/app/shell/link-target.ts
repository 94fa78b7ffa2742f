import type { Environment } from '@contract'
import type { AppLink, DeploymentSection } from '@contract/core/app-link'
import { foldName } from '@contract/core/text'
import { deploymentPath } from '@/ui/widgets/deployment'

/** The path of the screen that a link opens. */
export const pathOf = ({ screen, deploymentId, section }: AppLink): string =>
  deploymentId === null ? `/${screen}` : deploymentPath(deploymentId, section)

/** The environment that a link names. The system may have changed the case of the name. */
export function environmentOf(
  { environment: name }: AppLink,
  environments: readonly Environment[],
): Environment | null {
  const alike = environments.filter((one) => foldName(one.name) === foldName(name))
  return alike.find((one) => one.name === name) ?? alike[0] ?? null
}

/** What the sections of a deployment's page are in a sentence. */
const sectionsInWords: Record<DeploymentSection, string> = {
  overview: '',
  revisions: 'the revisions of ',
  logs: 'the logs of ',
  history: 'the history of ',
  resources: 'the resources of ',
  json: 'the JSON of ',
}

/**
 * What a link opens, in words: "the deployment X". Anyone can write the identifier: with its blanks spelled out, it
 * can't go on with the sentence.
 */
export function describeTarget({ screen, deploymentId, section }: AppLink): string {
  if (deploymentId !== null) {
    return `${sectionsInWords[section ?? 'overview']}the deployment ${deploymentId.replace(/\s/gu, '␣')}`
  }
  return {
    deployments: 'the deployments',
    repositories: 'the repositories',
    new: 'the form for a new deployment',
  }[screen]
}
