/** The two kinds of environment that the interface tells apart ("Source availability"). Free of schemas: the page's start needs it. */
export const environmentModes = ['cloud', 'self-hosted'] as const

export type EnvironmentMode = (typeof environmentModes)[number]

/** The mode in words, as labels and messages show it. */
export const modeLabels: Record<EnvironmentMode, string> = {
  cloud: 'Cloud',
  'self-hosted': 'Self-hosted',
}
