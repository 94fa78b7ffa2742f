import { z } from 'zod'
import { identifierSchema } from '../../app/environment/environment'
import { agentKeySchema, agentLimits, cellDeploymentSchema } from '../../cache/agents'
import { cacheStateSchema } from '../../cache/query/query'
import { failureSchema } from '../../core/failure'
import { answerLimits } from '../../deployment-api/list/list-limits'
import { boardLimits } from '../choices/board'

/** A deployment in a cell of the board. */
const boardDeploymentSchema = cellDeploymentSchema.extend({
  /** Whether the operator assigned it to its agent by hand. */
  byHand: z.boolean(),
})

export type BoardDeployment = z.infer<typeof boardDeploymentSchema>

/** What an environment has of an agent; `more` says how many further deployments there are. */
const boardCellSchema = z.object({ deployments: z.array(boardDeploymentSchema), more: z.int() })

export type BoardCell = z.infer<typeof boardCellSchema>

/** An agent's row. */
const boardRowSchema = z.object({
  /** The key of the agent (`electron/domain/agents`). */
  agent: agentKeySchema,
  isPinned: z.boolean(),
  versionsDiffer: z.boolean(),
  /** Whether an environment that is completely known has no deployment of it. */
  isMissing: z.boolean(),
  /** By environment: those that were requested and could be read. */
  cells: z.record(z.string(), boardCellSchema),
})

export type BoardRow = z.infer<typeof boardRowSchema>

/** How much is known of an environment. */
const boardColumnSchema = z.object({
  environmentId: z.string(),
  state: z.enum(['cached', 'not-synchronised', 'failed']),
  cache: cacheStateSchema.nullable(),
  failure: failureSchema.nullable(),
})

export type BoardColumn = z.infer<typeof boardColumnSchema>

/** Input and output of the calls about agents in several environments. */
export const boardCalls = {
  /**
   * Rows of the board, from the caches of environments alone: nothing is sent. `snapshot` is null for the first rows,
   * and then that of their answer, so that rows keep their places. With `isWhole`, the answer waits until all rows are
   * counted. Environments that don't exist are left out. Failure: `environment-changed` if an environment leads to
   * another service by now, or the snapshot isn't known any more: request the first rows again.
   */
  'board.page': {
    input: z.strictObject({
      environmentIds: z.array(identifierSchema).max(boardLimits.columns),
      search: z.string().max(200),
      onlyDiffering: z.boolean(),
      snapshot: z.string().max(100).nullable(),
      offset: z.int().min(0),
      limit: z.int().min(0).max(boardLimits.rows),
      /** The environments whose cells are wanted. */
      cellsOf: z.array(identifierSchema).max(boardLimits.cellColumns),
      isWhole: z.boolean(),
    }),
    output: z.object({
      snapshot: z.string(),
      /** How many rows are known by now. */
      total: z.int(),
      /** Whether those are all. */
      isWhole: z.boolean(),
      columns: z.array(boardColumnSchema),
      rows: z.array(boardRowSchema),
      /** Why the operator's own assignments and pins can't be read; null if they can. */
      personalFailure: failureSchema.nullable(),
    }),
  },
  /**
   * Assigns a deployment to an agent by hand, or back to the inferred one (null). Returns the agent that it was
   * assigned to by hand before. Failures: the keychain's, `cache`, `environment-changed`, `invalid-input`, `disk-full`,
   * `internal`; `not-found` if the environment's cache doesn't have the deployment.
   */
  'agents.assign': {
    input: z.strictObject({
      environmentId: identifierSchema,
      /** Where the environment led when the page read the deployment (`Environment.service`). */
      service: z.string().max(1_000).nullable(),
      deploymentId: z.string().min(1).max(answerLimits.identifierLength),
      agent: agentKeySchema.nullable(),
    }),
    output: z.object({ before: agentKeySchema.nullable() }),
  },
  /**
   * Pins an agent's row to the top, or unpins it. Failures: the keychain's, `invalid-input`, `disk-full`, `internal`.
   */
  'agents.pin': {
    input: z.strictObject({ agent: agentKeySchema, isPinned: z.boolean() }),
    output: z.object({ pinned: z.array(agentKeySchema).max(agentLimits.only) }),
  },
}
