import { deploymentTypes, type DeploymentType } from '@contract/core/labels'

const labels: Record<DeploymentType, string> = {
  dev_free: 'Development (free)',
  dev: 'Development',
  prod: 'Production',
}

/** The label of a deployment type. One that the interface doesn't name is shown as it came. */
export function deploymentTypeLabel(type: string): string {
  return Object.hasOwn(labels, type) ? labels[type as DeploymentType] : type
}

/** The deployment types to choose from. */
export const deploymentTypeOptions = deploymentTypes.map((value) => ({ value, label: labels[value] }))
