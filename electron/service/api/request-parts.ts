import { z } from '@hono/zod-openapi'
import { acceptedRequestSchemas as accepted } from '@contract'

// The contract's schemas have no `openapi`. What `describe` and `extend` make of them has it.

const resourceSpec = accepted.resourceSpec.describe('Scaling and sizing.').openapi('ResourceSpec')

const secretReference = accepted.secretReference
  .describe('Only for source external_docker.')
  .openapi('SecretReference')

/** Each secret becomes an environment variable, and two can't have one name. */
const secrets = accepted.createRequest.shape.secrets
  .superRefine((given, context) => {
    const names = new Set<string>()
    given.forEach(({ name }, index) => {
      if (names.has(name)) {
        context.addIssue({ code: 'custom', path: [index, 'name'], message: 'Another secret has this name' })
      }
      names.add(name)
    })
  })
  .describe('Each name once. Values are neither stored nor answered.')

/** Parts of requests, some with names of their own in the OpenAPI document: generated clients make a type of each. */
export const requestParts = {
  resourceSpec,
  secretReference,
  secrets,
  sourceConfig: accepted.sourceConfig
    .extend({ resource_spec: resourceSpec.nullish() })
    .openapi('SourceConfigInput'),
  sourceRevisionConfig: accepted.sourceRevisionConfig
    .describe('What each revision has.')
    .openapi('SourceRevisionConfigInput'),
  secretReferences: z.array(secretReference).nullish(),
}
