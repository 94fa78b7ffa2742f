import { deploymentTypes, type DeploymentType } from '@contract/deployment-api/request/deployment-types'

const words: Record<DeploymentType, string> = {
  dev_free: 'Development (free)',
  dev: 'Development',
  prod: 'Production',
}

/** A deployment type in words; one that the interface does not name stays as it came. */
export function deploymentTypeLabel(type: string): string {
  return Object.hasOwn(words, type) ? words[type as DeploymentType] : type
}

/** The deployment types to choose from. */
export const deploymentTypeOptions = deploymentTypes.map((value) => ({ value, label: words[value] }))
