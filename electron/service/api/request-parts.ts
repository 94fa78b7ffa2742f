import { z } from '@hono/zod-openapi'
import { acceptedRequestSchemas as accepted } from '@contract'

// The contract's schemas have no `openapi`, so it is added by `describe` and `extend`.

const resourceSpec = accepted.resourceSpec.describe('Scaling and sizing.').openapi('ResourceSpec')

const secretReference = accepted.secretReference
  .describe('Only for source external_docker.')
  .openapi('SecretReference')

/** Each secret becomes an environment variable, so their names must differ. */
const secrets = accepted.createRequest.shape.secrets
  .superRefine((list, context) => {
    const names = new Set<string>()
    list.forEach(({ name }, index) => {
      if (names.has(name)) {
        context.addIssue({ code: 'custom', path: [index, 'name'], message: 'Another secret has this name' })
      }
      names.add(name)
    })
  })
  .describe('Each name once. Values are neither stored nor answered.')

/** Parts of requests. Some have names in the OpenAPI document, from which generated clients make types. */
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
