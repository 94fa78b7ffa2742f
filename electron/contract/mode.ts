import { z } from 'zod'

/** The two kinds of environment that the interface tells apart ("Source availability"). */
export const environmentModes = ['cloud', 'self-hosted'] as const

export const environmentModeSchema = z.enum(environmentModes)

export type EnvironmentMode = z.infer<typeof environmentModeSchema>

/** The mode in words, as labels and messages show it. */
export const modeLabels: Record<EnvironmentMode, string> = {
  cloud: 'Cloud',
  'self-hosted': 'Self-hosted',
}
