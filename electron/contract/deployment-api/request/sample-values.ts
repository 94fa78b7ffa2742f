/**
 * Fixed values of the built-in service's sample data: identifiers that no answer contains, or that the application
 * offers before it has listed anything.
 */

/** The integration of the sample repositories. */
export const sampleIntegrationId = '5a3c1f0e-7b64-4d29-9c1a-2f6e8d40b713'

/** Tag values of sample deployments, for the list's filter `tag_value_ids`. */
export const sampleTagValueIds = {
  production: '0e9b6c52-41a7-4c3e-8f5d-9a1be27c6d01',
  staging: '0e9b6c52-41a7-4c3e-8f5d-9a1be27c6d02',
  experiment: '0e9b6c52-41a7-4c3e-8f5d-9a1be27c6d03',
  customerFacing: '0e9b6c52-41a7-4c3e-8f5d-9a1be27c6d04',
  internalOnly: '0e9b6c52-41a7-4c3e-8f5d-9a1be27c6d05',
} as const

/** A tracing project whose deployment is gone. Its name is taken although no deployment has it. */
export const sampleLeftoverTracingProject = 'retired-support-triage'
