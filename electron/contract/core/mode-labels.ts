/**
 * The interface's two kinds of environment ("Source availability"). Free of schemas, because the first screen loads
 * it.
 */
export const environmentModes = ['cloud', 'self-hosted'] as const

export type EnvironmentMode = (typeof environmentModes)[number]

/** The labels of the modes. */
export const modeLabels: Record<EnvironmentMode, string> = {
  cloud: 'Cloud',
  'self-hosted': 'Self-hosted',
}
