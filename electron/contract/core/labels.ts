/**
 * The interface's two kinds of environment ("Source availability"). Free of schemas, because the first screen loads
 * it.
 */
export const environmentModes = ['cloud', 'self-hosted'] as const

export type EnvironmentMode = (typeof environmentModes)[number]

export const modeLabels: Record<EnvironmentMode, string> = {
  cloud: 'Cloud',
  'self-hosted': 'Self-hosted',
}

/**
 * The sources of a deployment (interface: Deployment, `source`). Free of schemas, because the first screen loads it.
 */
export const sources = [
  'repohost',
  'external_docker',
  'internal_docker',
  'internal_source',
  'internal_template',
] as const

export type Source = (typeof sources)[number]

export const sourceLabels: Record<Source, string> = {
  repohost: 'Repository',
  external_docker: 'External image',
  internal_docker: 'Internal image',
  internal_source: 'Internal source',
  internal_template: 'Internal template',
}

export function isKnownSource(text: string): text is Source {
  return (sources as readonly string[]).includes(text)
}

/** The deployment types (interface: List deployments, `deployment_type`). */
export const deploymentTypes = ['dev_free', 'dev', 'prod'] as const

export type DeploymentType = (typeof deploymentTypes)[number]
