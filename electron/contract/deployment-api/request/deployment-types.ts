/** The deployment types (interface: List deployments, `deployment_type`). */
export const deploymentTypes = ['dev_free', 'dev', 'prod'] as const

export type DeploymentType = (typeof deploymentTypes)[number]
