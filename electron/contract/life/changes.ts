import { z } from 'zod'
import { requestSchemas } from '../deployment-api/request/create-request'
import type { Deployment } from '../deployment-api/deployment'

const revisionId = z.string().min(1).max(500)
const config = requestSchemas.sourceRevisionConfig.pick({
  repo_ref: true,
  graph_config_path: true,
  image_uri: true,
})
const settings = requestSchemas.sourceConfig.pick({
  build_on_push: true,
  custom_url: true,
  install_command: true,
  build_command: true,
})

/** What an operator changes in a deployment. Members that are left out, or null, stay as they are. */
export const changeSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('revision'), config }),
  /** `set` adds secrets and replaces values, `removed` names those that go. The others keep their values. */
  z.strictObject({
    kind: z.literal('secrets'),
    set: requestSchemas.createRequest.shape.secrets,
    removed: z.array(z.string().max(1_000)).max(1_000),
  }),
  /** The whole resource spec. Values that Slipway hides in it are filled in before it is sent. */
  z.strictObject({ kind: z.literal('resources'), spec: requestSchemas.resourceSpec }),
  z.strictObject({ kind: z.literal('settings'), config: settings }),
  z.strictObject({ kind: z.literal('redeploy'), revisionId }),
  z.strictObject({ kind: z.literal('roll-back'), revisionId }),
  z.strictObject({ kind: z.literal('interrupt'), revisionId }),
  /** `tracingProject` deletes that too, `force` ends the wait of one that is being deleted already. */
  z.strictObject({ kind: z.literal('delete'), tracingProject: z.boolean(), force: z.boolean() }),
])

export type Change = z.infer<typeof changeSchema>

export type ChangeKind = Change['kind']

/** What a change would do, from what the service says now. */
export interface ChangeReview {
  /** Stands for what was read. Sending with it fails if the deployment has changed since. */
  seen: string
  before: Deployment
  /** The deployment as it should be afterwards; null if its configuration stays. */
  after: Deployment | null
  /** For secrets: how many stay, change, are added and removed. */
  secrets: { kept: number; changed: number; added: number; removed: number } | null
}
