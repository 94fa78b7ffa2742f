import { z } from 'zod'
import { answerLimits } from '../../deployment-api/list/list-limits'

/** How many choices of the command palette are remembered, over all environments. */
export const recentLimits = { count: 20 } as const

/** A choice in the command palette: a command, an environment, or a deployment of the current environment. */
export const recentChoiceSchema = z.strictObject({
  kind: z.enum(['command', 'environment', 'deployment']),
  id: z.string().min(1).max(answerLimits.identifierLength),
})

export type RecentChoice = z.infer<typeof recentChoiceSchema>
